import AuditLog
import Names
import Secrets

/// The agent's commands to a vault. Each is one change, whole or not at all. A PIN try counts before the rest.
public enum VaultCommand: Sendable {
    case append(AuditEvent)
    /// Also writes the log entry. Answered by `device`.
    case enrol(
        publicKey: [UInt8], user: [UInt8], label: [UInt8], mode: CredentialMode, isWeb: Bool = false,
        uid: UInt32? = nil, by: AuditActor)
    /// Revokes all of the devices or none. Answered by `revoked`.
    case revoke([DeviceID], by: AuditActor)
    case noteUse(of: DeviceID)

    /// Answered by `opened`.
    case openCredential(DeviceID, pin: HeldSecret, deviceSecret: HeldSecret)
    /// Also writes the log entry, with the phone as actor. Answered by `stored`.
    case storeCredential(DeviceID, pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret)
    /// Also writes the log entry. Answered by `stored`, or by `opened` with the reason why the old PIN was refused.
    case changePIN(DeviceID, old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret)
    /// `everything` also destroys damaged databases that were set aside. Answered by `wiped`.
    case wipe([DeviceID], by: AuditActor, everything: Bool)
    /// Answered by `stale`.
    case markStale(user: [UInt8])

    case setAutoLogout(DeviceID, seconds: UInt32)
    /// Nil deletes the thresholds.
    case setThresholds(DeviceID, StoredThresholds?)
    case setWatched(DeviceID, Bool)
    /// For the start of an agent: clears the watched mark of phones without a session.
    case forgetWatchedWithoutSessions
    /// Nil deletes the deadline.
    case setDeadline(DeviceID, Duration?)
    case keepSession(StoredSession)
    case forgetSession([UInt8])
    case setExtensions([UInt8], Int64)
    /// Answered by `deadlines`.
    case readDeadlines
    /// Answered by `sessions`.
    case readSessions
    /// Answered by `sheet`.
    case readDevice(DeviceID)

    /// Answered by `site`.
    case readSite
    /// Refused if the box already belongs to a site.
    case joinSite(StoredSite)
    case changeSite(SiteChange)
    /// Deletes the site, all data about it, and its phones. Devices that own sessions stay, as revoked devices.
    case forgetSite(owning: [DeviceID] = [])

    /// Answered by `sitePhones`.
    case readSitePhones
    /// Makes a device for a site phone, or stores another grant for an existing one. Removes the phones seen longest
    /// ago to make room, except those in `sparing`. Answered by `admitted`.
    case admitSitePhone(StoredSitePhone, sparing: [DeviceID])
    /// Removes phones that the site revoked. Those in `owning` own sessions, so they stay as revoked devices. Phones
    /// that no longer exist are skipped.
    case dropSitePhones([DeviceID], owning: [DeviceID])
}

/// A vault's answers.
public enum VaultAnswer: Sendable {
    case done
    case device(DeviceRecord)
    case revoked(Revocation)
    /// Also returns the credential's new state.
    case opened(CredentialOutcome, CredentialState?)
    case stored(CredentialState?)
    /// The devices whose credentials were destroyed, and whether damaged databases were destroyed as well.
    case wiped([DeviceID], setAsideDestroyed: Bool)
    case stale([DeviceID])
    case deadlines([StoredDeadline])
    /// Sessions of earlier boots ended with them, and are reported once.
    case sessions(ofEarlierBoots: [StoredSession], ofThisBoot: [StoredSession])
    /// Nil if the device does not exist.
    case sheet(DeviceSheet?)
    /// Nil if the box belongs to no site.
    case site(StoredSite?)
    /// The site's phones, and the keys of those that the administrator revoked here.
    case sitePhones([StoredSitePhone], barred: [[UInt8]])
    /// The phone's device, and the devices that were removed to make room.
    case admitted(DeviceSheet, gone: [DeviceID])
    case failed(VaultError)
}
