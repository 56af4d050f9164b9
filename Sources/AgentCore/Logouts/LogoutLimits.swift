import AgentConfiguration

/// Why a session ends by itself.
public enum LogoutCause: String, Sendable, CaseIterable {
    /// The phone that opened it stays away.
    case away
    /// Nobody has touched keyboard or mouse.
    case idle
    /// It has lasted as long as sessions may.
    case longest
    /// The site closes.
    case closing
}

/// What the administrator lets sessions last. The phone's own wish, the time until a logout when it is away, is apart.
public struct LogoutLimits: Equatable, Sendable {
    /// From the last sign of life; nil is off.
    public var idle: Duration?
    /// From the login; nil is off.
    public var longest: Duration?
    /// How much one tap puts off an end by `longest` or `closing`.
    public var extensionTime: Duration
    /// How often a session's end is put off.
    public var extensionLimit: Int64
    /// From the warning to the end.
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
    /// As the administrator writes them: 0 is off.
    package init(_ set: Configuration.AutoLogout) {
        func limit(_ seconds: Int) -> Duration? { seconds == 0 ? nil : .seconds(Int64(seconds)) }
        self.init(
            idle: limit(set.idleSeconds), longest: limit(set.longestSeconds),
            extensionTime: .seconds(Int64(set.extensionSeconds)), extensionLimit: Int64(set.extensionLimit))
    }
}
