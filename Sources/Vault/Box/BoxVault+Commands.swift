import AuditLog
import Names
import VaultPort

/// The agent's commands as values. Each command gets an answer, even if it fails.
extension BoxVault {
    public func answer(_ command: VaultCommand) async -> VaultAnswer {
        do throws(VaultError) {
            switch command {
            case .openCredential(let device, let pin, let deviceSecret):
                let outcome = try await openCredential(device: device, pin: pin, deviceSecret: deviceSecret)
                return .opened(outcome, try credentialState(device))
            case .storeCredential(let device, let pin, let deviceSecret, let credential):
                try await storeCredential(
                    device: device, pin: pin, deviceSecret: deviceSecret, credential: credential)
                return .stored(try credentialState(device))
            case .changePIN(let device, let old, let new, let deviceSecret):
                let refused = try await changePIN(device: device, old: old, new: new, deviceSecret: deviceSecret)
                if let refused { return .opened(refused, try credentialState(device)) }
                return .stored(try credentialState(device))
            default: return try answerAtOnce(command)
            }
        } catch {
            return .failed(error)
        }
    }

    private func answerAtOnce(_ command: VaultCommand) throws(VaultError) -> VaultAnswer {
        switch command {
        case .append(let event): try append(event)
        case .enrol(let publicKey, let user, let label, let mode, let isWeb, let uid, let actor):
            return .device(
                try enrol(
                    publicKey: publicKey, user: user, label: label, mode: mode, isWeb: isWeb, uid: uid, by: actor))
        case .revoke(let devices, let actor): return .revoked(try revoke(devices, by: actor))
        case .noteUse(let device): try noteUse(of: device)
        case .wipe(let devices, let actor, let everything): return try wipe(devices, by: actor, everything: everything)
        case .markStale(let user): return .stale(try markStale(user: user))
        case .setAutoLogout(let device, let seconds): try setAutoLogout(seconds, device: device)
        case .setThresholds(let device, let thresholds): try setPresenceThresholds(thresholds, device: device)
        case .setWatched(let device, let isWatched): try setPresenceWatched(isWatched, device: device)
        case .forgetWatchedWithoutSessions: try forgetPresenceWithoutSessions()
        case .setDeadline(let device, let at?): try setDeadline(.awayLogout, device: device, at: at)
        case .setDeadline(let device, nil): try clearDeadline(.awayLogout, device: device)
        case .keepSession(let session): try keepSession(session)
        case .forgetSession(let id): try forgetSession(id)
        case .setExtensions(let id, let extensions): try setExtensions(extensions, of: id)
        case .readDeadlines: return .deadlines(try deadlines())
        case .readSessions:
            return .sessions(ofEarlierBoots: try takeSessionsOfEarlierBoots(), ofThisBoot: try sessions())
        case .readDevice(let id):
            guard let record = try device(id) else { return .sheet(nil) }
            return .sheet(try sheet(of: record))
        case .readSite: return .site(try site())
        case .joinSite(let site): try joinSite(site)
        case .changeSite(let change): try changeSite(change)
        case .forgetSite(let owning): try forgetSite(owning: owning)
        case .readSitePhones: return .sitePhones(try sitePhones(), barred: try barredSitePhones())
        case .admitSitePhone(let phone, let sparing):
            let (record, gone) = try admitSitePhone(phone, sparing: sparing)
            return .admitted(try sheet(of: record), gone: gone)
        case .dropSitePhones(let ids, let owning): try dropSitePhones(ids, owning: owning)
        case .openCredential, .storeCredential, .changePIN:
            // `answer` handles these commands, because they wait for a hash.
            throw .invalid(what: "this command needs BoxVault.answer, which computes a hash first")
        }
        return .done
    }

    private func wipe(
        _ devices: [DeviceID], by actor: AuditActor, everything: Bool
    ) throws(VaultError) -> VaultAnswer {
        let kept = try setAside()
        let wiped = try wipe(devices, by: actor, reason: "by the administrator")
        if everything { try destroySetAside() }
        let isGone = try setAside().isEmpty
        return .wiped(wiped, setAsideDestroyed: !kept.isEmpty && isGone)
    }

    /// Returns the stored data about a device, without secrets.
    public func sheet(of record: DeviceRecord) throws(VaultError) -> DeviceSheet {
        DeviceSheet(
            record: record, autoLogout: try autoLogout(device: record.id),
            thresholds: try presenceThresholds(device: record.id),
            isWatched: try isPresenceWatched(device: record.id), credential: try credentialState(record.id))
    }
}
