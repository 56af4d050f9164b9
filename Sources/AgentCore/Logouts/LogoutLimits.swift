import AgentConfiguration

/// The reason for an automatic logout.
public enum LogoutCause: String, Sendable, CaseIterable {
    /// The phone that opened the session stays away.
    case away
    /// Keyboard and mouse were not used.
    case idle
    /// The session has reached the longest allowed duration.
    case longest
    /// The configured closing time has come.
    case closing
}

/// The administrator's limits on sessions. The phone's own choice, the time away until a logout, is separate.
public struct LogoutLimits: Equatable, Sendable {
    /// The limit since the last input; nil is off.
    public var idle: Duration?
    /// The limit since the login; nil is off.
    public var longest: Duration?
    /// The time by which one tap postpones an end by `longest` or `closing`.
    public var extensionTime: Duration
    /// The number of times that a session's end can be postponed.
    public var extensionLimit: Int64
    /// The time from the warning to the end.
    public var warningTime: Duration

    public init(
        idle: Duration? = nil, longest: Duration? = nil, extensionTime: Duration = .seconds(900),
        extensionLimit: Int64 = 3, warningTime: Duration = .seconds(60)
    ) {
        self.idle = idle
        self.longest = longest
        self.extensionTime = extensionTime
        self.extensionLimit = extensionLimit
        self.warningTime = warningTime
    }
}

extension LogoutLimits {
    /// Converts the administrator's settings, where 0 is off.
    package init(_ set: Configuration.AutoLogout) {
        func limit(_ seconds: Int) -> Duration? { seconds == 0 ? nil : .seconds(Int64(seconds)) }
        self.init(
            idle: limit(set.idleSeconds), longest: limit(set.longestSeconds),
            extensionTime: .seconds(Int64(set.extensionSeconds)), extensionLimit: Int64(set.extensionLimit))
    }
}
