/// A device's data in the vault, without secrets. The agent holds it while the device is here or owns a session.
public struct DeviceSheet: Equatable, Sendable {
    public var record: DeviceRecord
    /// The absence after which its user is logged out, in seconds, as the phone chose; nil if it chose none.
    public var autoLogout: UInt32?
    public var thresholds: StoredThresholds?
    /// True if the phone reported its signal when this was last stored.
    public var isWatched: Bool
    public var credential: CredentialState?

    public init(
        record: DeviceRecord, autoLogout: UInt32? = nil, thresholds: StoredThresholds? = nil, isWatched: Bool = false,
        credential: CredentialState? = nil
    ) {
        self.record = record
        self.autoLogout = autoLogout
        self.thresholds = thresholds
        self.isWatched = isWatched
        self.credential = credential
    }
}
