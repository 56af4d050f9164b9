import AuditLog
import Names
import Secrets

/// What the agent has a vault do. Each is one change: whole, or not at all. A try of a PIN counts by itself, before the rest.
public enum VaultCommand: Sendable {
    case append(AuditEvent)
    /// With its entry of the log. Answered by `device`.
    case enrol(
        publicKey: [UInt8], user: [UInt8], label: [UInt8], mode: CredentialMode, isWeb: Bool = false,
        by: AuditActor)
    /// All of them or none. Answered by `revoked`.
    case revoke([DeviceID], by: AuditActor)
    case noteUse(of: DeviceID)

    /// Answered by `opened`.
    case openCredential(DeviceID, pin: HeldSecret, deviceSecret: HeldSecret)
    /// With its entry of the log, as the phone's own doing. Answered by `stored`.
    case storeCredential(DeviceID, pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret)
    /// With its entry of the log. Answered by `stored`, or by `opened` with why the old PIN was refused.
    case changePIN(DeviceID, old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret)
    /// Answered by `wiped`; `everything`: also what is kept of damaged databases.
    case wipe([DeviceID], by: AuditActor, everything: Bool)
    /// Answered by `stale`.
    case markStale(user: [UInt8])

    case setAutoLogout(DeviceID, seconds: UInt32)
    /// Nil forgets them.
    case setThresholds(DeviceID, StoredThresholds?)
    case setWatched(DeviceID, Bool)
    /// Of phones without a session, whether their absence counts: for the start of an agent.
    case forgetWatchedWithoutSessions
    /// Nil: none runs any more.
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
    /// Refused where the box belongs to a site already.
    case joinSite(StoredSite)
    case changeSite(SiteChange)
    /// With all that is kept of it, and its phones. Devices that own sessions stay, revoked.
    case forgetSite(owning: [DeviceID] = [])

    /// Answered by `sitePhones`.
    case readSitePhones
    /// Makes a device of a phone of the site, or keeps another grant of one that is there. Phones that came longest ago give way, but
    /// for those in `sparing`. Answered by `admitted`.
    case admitSitePhone(StoredSitePhone, sparing: [DeviceID])
    /// The site has taken these back. Those in `owning` own sessions, and stay as revoked devices. Phones that are gone already are
    /// passed over.
    case dropSitePhones([DeviceID], owning: [DeviceID])
}

/// What a vault answers.
public enum VaultAnswer: Sendable {
    case done
    case device(DeviceRecord)
    case revoked(Revocation)
    /// With what is now known of the credential.
    case opened(CredentialOutcome, CredentialState?)
    case stored(CredentialState?)
    /// The devices whose credentials were destroyed, and whether what was kept of damaged databases is gone as well.
    case wiped([DeviceID], setAsideDestroyed: Bool)
    case stale([DeviceID])
    case deadlines([StoredDeadline])
    /// Those of earlier boots are told of once: they ended with them.
    case sessions(ofEarlierBoots: [StoredSession], ofThisBoot: [StoredSession])
    /// Nil: there is no such device.
    case sheet(DeviceSheet?)
    /// Nil: the box belongs to none.
    case site(StoredSite?)
    /// The site's phones, and the keys of those that the administrator has revoked here.
    case sitePhones([StoredSitePhone], barred: [[UInt8]])
    /// The phone's device, and those that gave way.
    case admitted(DeviceSheet, gone: [DeviceID])
    case failed(VaultError)
}
