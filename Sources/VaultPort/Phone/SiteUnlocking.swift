import Secrets

/// The secrets from a phone's vault for one request about a site-held credential.
public struct SiteUnlocking: Sendable {
    /// Higher than the counter of every earlier request, and already stored.
    public let counter: UInt64
    /// The phone's private key for the site, 32 bytes.
    public let phoneKey: HeldSecret
    /// 32 bytes that never leave the phone.
    public let deviceSecret: HeldSecret
    /// Hashes of the given PINs, 32 bytes each.
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
