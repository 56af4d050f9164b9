import Names

/// A logind session that a phone login opened.
public struct StoredSession: Equatable, Sendable {
    /// XDG_SESSION_ID, 1…64 bytes.
    public let logindID: [UInt8]
    public let device: DeviceID
    public let user: [UInt8]
    public let terminal: [UInt8]?
    /// When logind opened the session, in microseconds of CLOCK_MONOTONIC. A reused ID never has the same time in one
    /// boot.
    public let openedMicroseconds: Int64
    /// When the session was opened, as time since boot.
    public let openedAt: Duration
    /// How often the user postponed the end that a limit sets.
    public var extensions: Int64

    public init(
        logindID: [UInt8], device: DeviceID, user: [UInt8], terminal: [UInt8]?, openedMicroseconds: Int64,
        openedAt: Duration, extensions: Int64 = 0
    ) {
        self.logindID = logindID
        self.device = device
        self.user = user
        self.terminal = terminal
        self.openedMicroseconds = openedMicroseconds
        self.openedAt = openedAt
        self.extensions = extensions
    }
}
