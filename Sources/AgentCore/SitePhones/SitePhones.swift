import Names
import PhoneMessages
import Secrets
import SiteTrust
import VaultPort

/// The phones that grants of the box's site have admitted, and phones that ask to be admitted.
///
///     hello ── the grant counts ──► known, unchanged ─────────────► in
///       │            └────────────► new ── stored ──► known ──────► in
///       └──────── refused, and the channel ends
///
///     known ── the site revokes it, the box leaves ──► barred, locked ── stored ──► gone
///           └─ the administrator revokes it ─────────► barred: no grant restores it
package struct SitePhones: Sendable {
    static let readPause: Duration = .seconds(60)

    struct Known: Sendable {
        let device: DeviceID
        let user: [UInt8]
        /// See `Grant.kept`. Storing a parsed grant would take four times the memory.
        var kept: [UInt8]
    }

    enum Job: Sendable {
        case read
        case sheet(VisitorHello, Grant)
        case admit(VisitorHello, DeviceID, Grant)
        case renew(DeviceID, Grant)
        case drop([DeviceID], [(channel: ChannelID, entry: [UInt8]?)])
    }

    /// The phones by their keys, or nil until the vault has answered.
    private var known: [[UInt8]: Known]?
    /// Keys that the administrator has revoked here.
    private var barredKeys: Set<[UInt8]> = []
    private var jobs = Pending<Job>(.sitePhones)
    /// The time of the next read.
    private var retryAt: Duration?
    /// Channels that end once it is known whether the box has left its site.
    private var silenced: [ChannelID] = []

    package init() {}

    // MARK: - Views

    package var devices: [DeviceID] {
        (known ?? [:]).values.map(\.device).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Returns whether the site holds the credential of the phone with that key, by the grant that admitted the phone.
    func isSiteHeld(_ key: [UInt8]) -> Bool {
        known?[key].flatMap(Self.kept)?.facts.mode == .siteHeld
    }

    /// Returns the user ID from the grant that admitted this phone.
    func userID(_ key: [UInt8]) -> SiteUserID? { known?[key].flatMap(Self.kept)?.facts.userID }

    /// Returns the device id that a phone of the site has at each of its boxes.
    static func device(of key: [UInt8], in judge: SiteJudge) -> DeviceID {
        DeviceID(known: judge.site.deviceID(ofPhone: key))
    }

    // MARK: - Stored data

    package mutating func started(_ out: inout Output) {
        out.emit(.vault(jobs.open(.read), .readSitePhones))
    }

    package var deadline: Duration? { retryAt }

    package mutating func timeHasCome(_ out: inout Output) {
        guard let at = retryAt, at <= out.time else { return }
        retryAt = nil
        started(&out)
    }

    // MARK: - Hello

    /// The decision about a hello.
    enum Verdict {
        /// Close the channel without an answer.
        case end(ChannelEnd)
        case out(ResultCode, entry: [UInt8]?)
        /// The grant is already stored.
        case known(DeviceID, Grant)
        /// The grant must be stored first.
        case new(Grant)
    }

    /// Decides about a hello.
    ///
    /// - Parameter judge: Nil if the box belongs to no site, or does not know yet.
    /// - Parameter isDeaf: True if the phone was revoked while this agent runs.
    func verdict(on hello: VisitorHello, _ judge: SiteJudge?, isDeaf: Bool) -> Verdict {
        guard let known, let judge else { return .end(.vaultUnavailable) }
        let key = hello.key
        let old = known[key]
        guard let shown = hello.grant else {
            return hello.sheet == nil ? .end(.unknownDevice) : .out(.grantWanted, entry: nil)
        }
        // Checked before the grant: the administrator has refused the phone, whatever it shows.
        guard !barredKeys.contains(key) else { return .out(.grantNotAccepted, entry: nil) }
        do throws(GrantRefusal) {
            if let old, let grant = Self.kept(old), Self.isShown(grant, by: shown) {
                try judge.readmit(grant, phoneKey: key)
                return isDeaf ? .out(.grantNotAccepted, entry: nil) : .known(old.device, grant)
            }
            guard case .whole(let bytes) = shown else { return .out(.grantWanted, entry: nil) }
            guard let claimed = Self.claimed(bytes) else { return .out(.grantNotAccepted, entry: nil) }
            let grant = try judge.admit(claimed, phoneKey: key)
            guard !isDeaf, Self.isSamePerson(old, grant) else {
                return .out(.grantNotAccepted, entry: nil)
            }
            return .new(grant)
        } catch {
            return .out(ResultCode(error), entry: error.entry)
        }
    }

    /// Parses a stored grant, which was verified before it was stored.
    private static func kept(_ known: Known) -> Grant? {
        do throws(SiteError) { return try Grant(kept: known.kept) } catch { return nil }
    }

    private static func claimed(_ bytes: [UInt8]) -> ClaimedGrant? {
        do throws(SiteError) { return try ClaimedGrant(parsing: bytes) } catch { return nil }
    }

    private static func isShown(_ grant: Grant, by shown: ShownGrant) -> Bool {
        switch shown {
        case .whole(let bytes): bytes == grant.bytes
        case .hash(let hash): hash == grant.hash
        }
    }

    /// Returns whether the grant is for the same user: a device never moves to another user.
    private static func isSamePerson(_ old: Known?, _ grant: Grant) -> Bool {
        guard let old, let before = kept(old)?.facts else { return true }
        return before.user == grant.facts.user && before.userID == grant.facts.userID
    }

    /// Reads the device's data first, because no component has it.
    mutating func read(_ hello: VisitorHello, _ device: DeviceID, _ grant: Grant, _ out: inout Output) {
        out.emit(.vault(jobs.open(.sheet(hello, grant)), .readDevice(device)))
    }

    mutating func admit(
        _ hello: VisitorHello, _ device: DeviceID, _ grant: Grant, sparing: [DeviceID], _ out: inout Output
    ) {
        keep(.admit(hello, device, grant), device, grant, sparing: sparing, &out)
    }

    private mutating func keep(
        _ job: Job, _ device: DeviceID, _ grant: Grant, sparing: [DeviceID], _ out: inout Output
    ) {
        let phone = StoredSitePhone(
            device: device, publicKey: grant.facts.phoneKey, user: grant.facts.user, kept: grant.kept)
        out.emit(.vault(jobs.open(job), .admitSitePhone(phone, sparing: sparing)))
    }

    // MARK: - Renewal

    /// Handles a renewed grant from the site. The grant is checked like any other grant, and stored before it counts.
    mutating func renewed(
        _ claimed: ClaimedGrant, _ judge: SiteJudge, sparing: [DeviceID], _ out: inout Output
    ) {
        guard let old = known?[claimed.facts.phoneKey] else { return }
        do throws(GrantRefusal) {
            let grant = try judge.admit(claimed, phoneKey: claimed.facts.phoneKey)
            guard Self.isSamePerson(old, grant) else {
                return out.log(.warning, "the site renewed a grant of device \(old.device) for another user")
            }
            keep(.renew(old.device, grant), old.device, grant, sparing: sparing, &out)
        } catch {
            out.log(.warning, "the renewed grant of device \(old.device) was refused: \(CaseWords.text(of: error))")
        }
    }

    // MARK: - Revocation

    /// Returns the phones that a revocation of the site covers, each with its revocation entry.
    func revoked(by judge: SiteJudge) -> [(device: DeviceID, entry: [UInt8])] {
        guard let known, judge.check.site.revocations.count > 0 else { return [] }
        return known.values.compactMap { phone in
            guard let facts = Self.kept(phone)?.facts,
                let entry = judge.check.site.revocations.entry(covering: facts)
            else { return nil }
            return (phone.device, entry.bytes)
        }.sorted { $0.device.bytes.lexicographicallyPrecedes($1.device.bytes) }
    }

    mutating func drop(
        _ devices: [DeviceID], _ silenced: [(channel: ChannelID, entry: [UInt8]?)], owning: [DeviceID],
        _ out: inout Output
    ) {
        out.emit(.vault(jobs.open(.drop(devices, silenced)), .dropSitePhones(devices, owning: owning)))
    }

    /// Bars phones after their revocation by the administrator is stored.
    package mutating func barred(_ devices: [DeviceID]) {
        for (key, phone) in known ?? [:] where devices.contains(phone.device) {
            known?[key] = nil
            barredKeys.insert(key)
        }
    }

    // MARK: - The box leaves

    mutating func leaves(_ channels: [ChannelID]) { silenced = channels }

    mutating func left(isStored: Bool, _ out: inout Output) {
        let all = devices
        if isStored { (known, barredKeys) = ([:], []) }
        out.tell(.sitePhonesDropped(all, silenced.map { ($0, nil) }, isStored: isStored))
        silenced = []
    }

    // MARK: - Answers

    package mutating func answered(
        _ id: OperationID, _ answer: Answer, _ judge: SiteJudge?, _ out: inout Output
    ) {
        guard let job = jobs.close(id) else { return }
        switch (job, answer) {
        case (.read, .vault(.sitePhones(let phones, let barred))): wasRead(phones, barred, &out)
        case (.read, _):
            out.log(.error, "the records of the site's phones could not be read: \(answer.problem)")
            retryAt = out.time + Self.readPause
        case (.sheet(let hello, let grant), .vault(.sheet(let sheet?))): isKept(hello, sheet, grant, judge, &out)
        case (.sheet(let hello, _), _), (.admit(let hello, _, _), .vault(.failed(.busy))):
            out.tell(.visitorIsOut(hello, .boxFault, entry: nil))
        case (.admit(let hello, _, let grant), .vault(.admitted(let sheet, let gone))):
            keep(sheet.record, grant, gone: gone, &out)
            isKept(hello, sheet, grant, judge, &out)
        // The key belongs to a device of another kind, or was revoked meanwhile.
        case (.admit(let hello, _, _), .vault(.failed(.alreadyEnrolled))):
            out.tell(.visitorIsOut(hello, .grantNotAccepted, entry: nil))
        case (.admit(let hello, let device, _), _):
            out.log(.error, "device \(device) of the site could not be stored: \(answer.problem)")
            out.tell(.visitorIsOut(hello, .boxFault, entry: nil))
        case (.renew(let device, let grant), .vault(.admitted(let sheet, let gone))):
            keep(sheet.record, grant, gone: gone, &out)
            out.tell(.siteGrantKept(device, grant.bytes))
            out.tell(.siteTookBack)
        case (.renew(let device, _), _):
            out.log(.error, "the new grant of device \(device) could not be stored: \(answer.problem)")
        case (.drop(let devices, let silenced), _): dropped(devices, silenced, answer, &out)
        }
    }

    private mutating func wasRead(_ phones: [StoredSitePhone], _ barred: [[UInt8]], _ out: inout Output) {
        var read: [[UInt8]: Known] = [:]
        for phone in phones { read[phone.publicKey] = Known(device: phone.device, user: phone.user, kept: phone.kept) }
        known = read
        barredKeys = Set(barred)
        out.tell(.siteTookBack)
    }

    private mutating func keep(_ record: DeviceRecord, _ grant: Grant, gone: [DeviceID], _ out: inout Output) {
        known?[record.publicKey] = Known(device: record.id, user: record.user, kept: grant.kept)
        guard !gone.isEmpty else { return }
        known = known?.filter { !gone.contains($0.value.device) }
        out.tell(.sitePhonesGone(gone))
    }

    /// Checks the grant again: a revocation may have come, or the box may have left, while the vault was writing.
    private func isKept(
        _ hello: VisitorHello, _ sheet: DeviceSheet, _ grant: Grant, _ judge: SiteJudge?, _ out: inout Output
    ) {
        guard let judge, !barredKeys.contains(hello.key), sheet.record.state == .active else {
            return out.tell(.visitorIsOut(hello, .grantNotAccepted, entry: nil))
        }
        do throws(GrantRefusal) {
            try judge.readmit(grant, phoneKey: hello.key)
            out.tell(.visitorIsIn(hello, sheet, grant))
        } catch {
            out.tell(.visitorIsOut(hello, ResultCode(error), entry: error.entry))
            out.tell(.siteTookBack)
        }
    }

    private mutating func dropped(
        _ devices: [DeviceID], _ silenced: [(channel: ChannelID, entry: [UInt8]?)], _ answer: Answer,
        _ out: inout Output
    ) {
        let failure = answer.writeFailure
        if let failure {
            // The revocation is valid even so: the phones are refused at each hello, and removed at the next start.
            out.log(.error, "phones that the site has revoked could not be removed: \(failure)")
        } else {
            known = known?.filter { !devices.contains($0.value.device) }
            for device in devices { out.log(.notice, "device \(device) was revoked by the site") }
        }
        out.tell(.sitePhonesDropped(devices, silenced, isStored: failure == nil))
    }
}
