import Names

/// What a deadline is for.
public enum DeadlineKind: Int64, Sendable {
    /// The phone stays away: log out.
    case awayLogout = 1
}

/// A deadline that was written down.
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
