import Secrets

/// What a phone's vault gives for one request about a credential that a site holds.
public struct SiteUnlocking: Sendable {
    /// Above that of each request before, and written down.
    public let counter: UInt64
    /// The phone's private key for the site, 32 bytes.
    public let phoneKey: HeldSecret
    /// 32 bytes that never leave the phone.
    public let deviceSecret: HeldSecret
    /// Hashes of the PINs that were given, 32 bytes each.
    public let pinHash: HeldSecret?
    public let newPINHash: HeldSecret?

    public init(
        counter: UInt64, phoneKey: HeldSecret, deviceSecret: HeldSecret, pinHash: HeldSecret?, newPINHash: HeldSecret?
    ) {
        self.counter = counter
        self.phoneKey = phoneKey
        self.deviceSecret = deviceSecret
        self.pinHash = pinHash
        self.newPINHash = newPINHash
    }
}
