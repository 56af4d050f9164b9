/// What a vault keeps of a device, but for its secrets. The agent knows it while the device is here or owns a session.
public struct DeviceSheet: Equatable, Sendable {
    public var record: DeviceRecord
    /// The time away that the phone chose, in seconds; nil when nothing was chosen.
    public var autoLogout: UInt32?
    public var thresholds: StoredThresholds?
    /// The phone had reported its signal when this was last written down.
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
