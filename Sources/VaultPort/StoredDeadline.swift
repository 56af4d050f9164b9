import Names

/// The purpose of a deadline.
public enum DeadlineKind: Int64, Sendable {
    /// Log out because the phone stays away.
    case awayLogout = 1
}

/// A deadline in the vault.
public struct StoredDeadline: Equatable, Sendable {
    public let device: DeviceID
    public let kind: DeadlineKind
    /// Time since this boot.
    public let at: Duration

    public init(device: DeviceID, kind: DeadlineKind, at: Duration) {
        self.device = device
        self.kind = kind
        self.at = at
    }
}
