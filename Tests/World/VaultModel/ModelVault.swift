import AuditLog
import Names
import Secrets
import VaultPort

/// The contents of a vault, without disk, keys and hashes, for the simulation and for tests of the real vault.
public struct ModelVault: Sendable {
    public struct Credential: Equatable, Sendable {
        public var secret: [UInt8]
        public var pin: [UInt8]
        public var attempts: AttemptState
        public var isStale: Bool
    }

    public struct Device: Equatable, Sendable {
        public var record: DeviceRecord
        public var autoLogout: UInt32?
        public var thresholds: StoredThresholds?
        public var isWatched = false
        public var credential: Credential?
        public var isWiped = false
        /// The wrong PINs since the last correct one, and the highest limit in that time, at which the secret is
        /// destroyed.
        public var wrongInARow = 0
        public var highestLimit = 0
    }

    struct Row: Equatable, Sendable {
        var session: StoredSession
        var boot: Int
    }

    public var policy = AttemptPolicy()
    /// If set, every command fails with this error.
    public var failure: VaultError?
    public private(set) var devices: [DeviceID: Device] = [:]
    public private(set) var entries: [AuditEvent] = []
    var rows: [[UInt8]: Row] = [:]
    var deadlines: [DeviceID: (at: Duration, boot: Int)] = [:]
    private var site: StoredSite?
    /// The grants of the site's phones, and the keys that the administrator has revoked.
    private var grants: [DeviceID: [UInt8]] = [:]
    private var barred: Set<[UInt8]> = []
    private var boot = 1

    public init() {}

    public mutating func reboot() { boot += 1 }

    /// Restarts the agent, which removes revoked phones of the site that own no session.
    public mutating func reopen() {
        let owners = Set(rows.values.map(\.session.device))
        devices = devices.filter {
            !$0.value.record.isOfSite || $0.value.record.state == .active || owners.contains($0.key)
        }
    }

    public mutating func add(_ record: DeviceRecord) { devices[record.id] = Device(record: record) }

    public mutating func answer(_ command: VaultCommand) -> VaultAnswer {
        if let failure { return .failed(failure) }
        switch command {
        case .append(let event): return note(event)
        case .enrol(let key, let user, let label, let mode, let isWeb, _, let actor):
            return enrol(key, user, label, mode, isWeb, actor)
        case .revoke(let ids, let actor): return revoke(ids, by: actor)
        case .noteUse: return .done
        case .openCredential(let id, let pin, _): return open(id, pin.text)
        case .storeCredential(let id, let pin, _, let credential): return store(id, pin.text, credential.text)
        case .changePIN(let id, let old, let new, _): return changePIN(id, old.text, new.text)
        case .wipe(let ids, let actor, _): return wipe(ids, by: actor)
        case .markStale(let user): return markStale(user)
        case .readDevice(let id): return .sheet(sheet(id))
        case .readDeadlines:
            let found = deadlines.filter { $0.value.boot == boot }.sorted {
                $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
            }
            return .deadlines(found.map { StoredDeadline(device: $0.key, kind: .awayLogout, at: $0.value.at) })
        case .readSessions: return readSessions()
        case .readSite: return .site(site)
        case .joinSite(let new):
            guard site == nil else { return .failed(.invalid(what: "this box already belongs to a site")) }
            site = new
            site?.entries = Self.sorted(new.entries)
            return .done
        case .changeSite(let change): return self.change(change)
        case .readSitePhones: return readSitePhones()
        case .admitSitePhone(let phone, _): return admit(phone)
        case .dropSitePhones(let ids, let owning):
            for id in ids where grants[id] != nil {
                let user = devices[id]?.record.user
                remove(id, keepingDevice: owning.contains(id))
                entries.append(AuditEvent(kind: .deviceRevoked, user: user, device: id, actor: .agent))
            }
            return .done
        default: return change(command)
        }
    }

    private mutating func change(_ command: VaultCommand) -> VaultAnswer {
        switch command {
        case .setAutoLogout(let id, let seconds): devices[id]?.autoLogout = seconds
        case .setThresholds(let id, let thresholds): devices[id]?.thresholds = thresholds
        case .setWatched(let id, let isWatched): devices[id]?.isWatched = isWatched
        case .forgetWatchedWithoutSessions:
            let owners = Set(rows.values.map(\.session.device))
            for id in devices.keys where !owners.contains(id) { devices[id]?.isWatched = false }
        case .setDeadline(let id, let at): deadlines[id] = at.map { ($0, boot) }
        case .keepSession(let session):
            // SQLite reports a missing row with this code (sqlite.org/rescode.html#constraint_foreignkey).
            guard devices[session.device] != nil else { return .failed(.database(code: 787)) }
            rows[session.logindID] = Row(session: session, boot: boot)
        case .forgetSession(let id): rows[id] = nil
        case .setExtensions(let id, let count): rows[id]?.session.extensions = count
        case .forgetSite(let owning):
            site = nil
            barred = []
            for id in grants.keys { remove(id, keepingDevice: owning.contains(id)) }
        default: return .failed(.invalid(what: "the model does not know this"))
        }
        return .done
    }

    private mutating func change(_ change: SiteChange) -> VaultAnswer {
        guard var new = site else { return .failed(.notFound(what: "site")) }
        new.document = change.document ?? new.document
        if change.beginsGeneration { (new.entries, new.head, new.time, new.hours) = ([], nil, nil, nil) }
        new.certificate = change.certificate ?? new.certificate
        new.servers = change.servers ?? new.servers
        new.entries = Self.sorted(new.entries + change.added).filter { !change.dropped.contains($0) }
        new.head = change.head ?? new.head
        new.time = change.time ?? new.time
        new.hours = change.hours ?? new.hours
        site = new
        return .done
    }

    /// Returns the entries in ascending order, without duplicates.
    private static func sorted(_ entries: [[UInt8]]) -> [[UInt8]] {
        Set(entries).sorted { $0.lexicographicallyPrecedes($1) }
    }

    private mutating func note(_ event: AuditEvent) -> VaultAnswer {
        entries.append(event)
        return .done
    }

    private mutating func enrol(
        _ key: [UInt8], _ user: [UInt8], _ label: [UInt8], _ mode: CredentialMode, _ isWeb: Bool,
        _ actor: AuditActor
    ) -> VaultAnswer {
        guard !devices.values.contains(where: { $0.record.publicKey == key }) else { return .failed(.alreadyEnrolled) }
        let record = DeviceRecord(
            id: DeviceID(known: Array(key.prefix(DeviceID.byteCount))), publicKey: key, user: user, label: label,
            mode: mode, isWeb: isWeb, state: .active, enrolledAt: 0, lastUsedAt: nil)
        devices[record.id] = Device(record: record)
        entries.append(AuditEvent(kind: .deviceEnrolled, user: user, device: record.id, actor: actor))
        return .device(record)
    }

    private mutating func revoke(_ ids: [DeviceID], by actor: AuditActor) -> VaultAnswer {
        for id in ids {
            guard let record = devices[id]?.record else { return .failed(.notFound(what: "device")) }
            devices[id]?.record = Self.record(record, .revoked)
            if record.isOfSite {
                grants[id] = nil
                barred.insert(record.publicKey)
            }
            deadlines[id] = nil
            if devices[id]?.credential != nil { _ = destroy(id) }
            entries.append(AuditEvent(kind: .deviceRevoked, user: record.user, device: id, actor: actor))
        }
        return .revoked(Revocation(unfinished: nil))
    }

    // MARK: - Phones of the site

    private func readSitePhones() -> VaultAnswer {
        let sorted = grants.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        return .sitePhones(
            sorted.compactMap { id, kept in
                devices[id].map {
                    StoredSitePhone(device: id, publicKey: $0.record.publicKey, user: $0.record.user, kept: kept)
                }
            }, barred: barred.sorted { $0.lexicographicallyPrecedes($1) })
    }

    private mutating func admit(_ phone: StoredSitePhone) -> VaultAnswer {
        guard !barred.contains(phone.publicKey) else { return .failed(.alreadyEnrolled) }
        if let known = devices[phone.device]?.record {
            devices[phone.device]?.record = Self.record(known, .active)
        } else {
            add(
                DeviceRecord(
                    id: phone.device, publicKey: phone.publicKey, user: phone.user, label: StoredSitePhone.label,
                    mode: .phoneHeld, isOfSite: true, state: .active, enrolledAt: 0, lastUsedAt: nil))
        }
        grants[phone.device] = phone.kept
        guard let sheet = sheet(phone.device) else { return .failed(.notFound(what: "device")) }
        return .admitted(sheet, gone: [])
    }

    private mutating func remove(_ id: DeviceID, keepingDevice: Bool) {
        grants[id] = nil
        deadlines[id] = nil
        let owns = keepingDevice || rows.values.contains { $0.session.device == id }
        devices[id] = owns ? devices[id] : nil
        if let record = devices[id]?.record { devices[id]?.record = Self.record(record, .revoked) }
    }

    private static func record(_ record: DeviceRecord, _ state: DeviceRecord.State) -> DeviceRecord {
        DeviceRecord(
            id: record.id, publicKey: record.publicKey, user: record.user, label: record.label, mode: record.mode,
            isWeb: record.isWeb, isOfSite: record.isOfSite, state: state, enrolledAt: 0, lastUsedAt: nil)
    }

    private mutating func readSessions() -> VaultAnswer {
        let sorted = rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        rows = rows.filter { $0.value.boot == boot }
        return .sessions(
            ofEarlierBoots: sorted.filter { $0.boot != boot }.map(\.session),
            ofThisBoot: sorted.filter { $0.boot == boot }.map(\.session))
    }

    public func sheet(_ id: DeviceID) -> DeviceSheet? {
        devices[id].map { device in
            DeviceSheet(
                record: device.record, autoLogout: device.autoLogout, thresholds: device.thresholds,
                isWatched: device.isWatched, credential: state(id))
        }
    }

    /// Returns the device with this public key.
    public func device(_ publicKey: [UInt8]) -> Device? { devices.values.first { $0.record.publicKey == publicKey } }

    // MARK: - Credentials

    public func state(_ id: DeviceID) -> CredentialState? {
        devices[id]?.credential.map { CredentialState(attemptsLeft: policy.left($0.attempts), stale: $0.isStale) }
    }

    private enum Try { case right(Credential), refused(CredentialOutcome) }

    /// Spends the try first, and then checks the PIN.
    private mutating func `try`(_ id: DeviceID, _ pin: [UInt8]) -> Try {
        guard var credential = devices[id]?.credential else {
            return .refused(devices[id]?.isWiped ?? false ? .wiped : .noCredential)
        }
        switch policy.spend(credential.attempts, now: BootMoment(boot: [], nanoseconds: 0)) {
        case .exhausted: return .refused(destroy(id))
        case .lockedOut(let seconds, _): return .refused(.lockedOut(seconds: seconds))
        case .spent(let spent):
            credential.attempts = spent
            devices[id]?.credential = credential
            let highest = max(devices[id]?.highestLimit ?? 0, policy.limit)
            devices[id]?.highestLimit = highest
            guard credential.pin == pin else {
                devices[id]?.wrongInARow += 1
                if case .left(let left) = policy.settleWrong(spent) {
                    return .refused(.pinWrong(attemptsLeft: left))
                }
                return .refused(destroy(id))
            }
            credential.attempts = policy.settleRight(spent)
            devices[id]?.credential = credential
            devices[id]?.wrongInARow = 0
            devices[id]?.highestLimit = 0
            return .right(credential)
        }
    }

    private mutating func destroy(_ id: DeviceID) -> CredentialOutcome {
        devices[id]?.credential = nil
        devices[id]?.isWiped = true
        devices[id]?.wrongInARow = 0
        return .wiped
    }

    private mutating func open(_ id: DeviceID, _ pin: [UInt8]) -> VaultAnswer {
        let outcome: CredentialOutcome
        switch `try`(id, pin) {
        case .refused(let refused): outcome = refused
        case .right(let credential):
            outcome =
                credential.isStale ? .stale : .opened(HeldSecret(SecretBytes(copying: credential.secret)))
        }
        return .opened(outcome, state(id))
    }

    private mutating func store(_ id: DeviceID, _ pin: [UInt8], _ secret: [UInt8]) -> VaultAnswer {
        guard devices[id]?.record.state == .active else { return .failed(.notFound(what: "device")) }
        devices[id]?.credential = Credential(secret: secret, pin: pin, attempts: .fresh, isStale: false)
        devices[id]?.isWiped = false
        devices[id]?.wrongInARow = 0
        return .stored(state(id))
    }

    private mutating func changePIN(_ id: DeviceID, _ old: [UInt8], _ new: [UInt8]) -> VaultAnswer {
        switch `try`(id, old) {
        case .refused(let refused): return .opened(refused, state(id))
        case .right:
            devices[id]?.credential?.pin = new
            return .stored(state(id))
        }
    }

    private mutating func wipe(_ ids: [DeviceID], by actor: AuditActor) -> VaultAnswer {
        let wiped = ids.filter { devices[$0]?.credential != nil }
        for id in wiped { _ = destroy(id) }
        return .wiped(wiped, setAsideDestroyed: false)
    }

    private mutating func markStale(_ user: [UInt8]) -> VaultAnswer {
        var stale: [DeviceID] = []
        for id in devices.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            guard let device = devices[id], device.record.user == user, device.credential?.isStale == false else {
                continue
            }
            devices[id]?.credential?.isStale = true
            stale.append(id)
        }
        return .stale(stale)
    }
}

extension HeldSecret {
    /// The bytes of a simulated secret.
    public var text: [UInt8] {
        bytes.withBytes { span in (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) } }
    }
}
