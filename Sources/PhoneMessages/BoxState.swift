import Names

/// The person's session on the box, as their phone may know it. Somebody else's session is `none` and no name.
public enum SessionState: UInt8, CaseIterable, Sendable {
    case none = 0
    case active = 1
    case locked = 2
}

/// The automatic logout that holds now, and what the administrator lets the person choose.
public struct AutoLogout: Equatable, Sendable {
    /// Seconds away until logout; 0 is off. At most `MessageLimits.durationSeconds`.
    public var seconds: UInt32
    /// The shortest that may be chosen, in seconds; 1 or more.
    public var minimumSeconds: UInt32
    /// The longest that may be chosen, in seconds; not under the shortest.
    public var maximumSeconds: UInt32
    /// Whether 0, off, may be chosen as well.
    public var mayBeOff: Bool

    public init(seconds: UInt32, minimumSeconds: UInt32, maximumSeconds: UInt32, mayBeOff: Bool) {
        self.seconds = seconds
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
        self.mayBeOff = mayBeOff
    }

    /// Whether the person may choose `seconds`.
    public func allows(_ seconds: UInt32) -> Bool {
        seconds == 0 ? mayBeOff : seconds >= minimumSeconds && seconds <= maximumSeconds
    }

    /// Whether the numbers are within the protocol's bounds. What is in force may lie outside the
    /// administrator's bounds: these may have changed since it was chosen.
    var isWellFormed: Bool {
        seconds <= MessageLimits.durationSeconds && minimumSeconds >= 1 && minimumSeconds <= maximumSeconds
            && maximumSeconds <= MessageLimits.durationSeconds
    }
}

/// What a box tells each authenticated phone whenever it changes, and on request.
public struct BoxState: Equatable, Sendable {
    public var session: SessionState
    /// The session's user, 1…`UserName.byteLimit` bytes; none without a session.
    public var user: [UInt8]?
    public var autoLogout: AutoLogout
    /// Seconds until logout, where a deadline runs.
    public var logoutInSeconds: UInt32?
    /// Whether the password changed since the credential was stored on the box.
    public var credentialStale: Bool
    /// PIN attempts left on the credential that the box holds of this phone; 0 while the last is being tried, none where it
    /// holds none.
    public var pinAttemptsLeft: UInt8?

    public init(
        session: SessionState, user: [UInt8]?, autoLogout: AutoLogout, logoutInSeconds: UInt32?,
        credentialStale: Bool, pinAttemptsLeft: UInt8?
    ) {
        self.session = session
        self.user = user
        self.autoLogout = autoLogout
        self.logoutInSeconds = logoutInSeconds
        self.credentialStale = credentialStale
        self.pinAttemptsLeft = pinAttemptsLeft
    }

    /// Whether every field is within its bounds and there is a user exactly when there is a session.
    var isWellFormed: Bool {
        guard autoLogout.isWellFormed, (session == .none) == (user == nil) else { return false }
        if let user, !UserName.isName(user) { return false }
        guard logoutInSeconds ?? 0 <= MessageLimits.durationSeconds else { return false }
        return pinAttemptsLeft ?? 0 <= PINRules.attempts
    }
}
