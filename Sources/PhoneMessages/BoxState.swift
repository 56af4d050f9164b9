import Names

/// The state of the person's own session on the box. Another user's session shows as `none`, without a name.
public enum SessionState: UInt8, CaseIterable, Sendable {
    case none = 0
    case active = 1
    case locked = 2
}

/// The automatic logout in force, and the administrator's bounds for the person's choice.
public struct AutoLogout: Equatable, Sendable {
    /// Seconds of absence until logout; 0 is off. At most `MessageLimits.durationSeconds`.
    public var seconds: UInt32
    /// The shortest time that the person may choose, in seconds; 1 or more.
    public var minimumSeconds: UInt32
    /// The longest time that the person may choose, in seconds; not less than the shortest.
    public var maximumSeconds: UInt32
    /// True if the person may also choose 0 (off).
    public var mayBeOff: Bool

    public init(seconds: UInt32, minimumSeconds: UInt32, maximumSeconds: UInt32, mayBeOff: Bool) {
        self.seconds = seconds
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
        self.mayBeOff = mayBeOff
    }

    /// Returns whether the person may choose `seconds`.
    public func allows(_ seconds: UInt32) -> Bool {
        seconds == 0 ? mayBeOff : seconds >= minimumSeconds && seconds <= maximumSeconds
    }

    /// True if the numbers are within the protocol's bounds. `seconds` may lie outside the administrator's bounds,
    /// which may have changed since the choice.
    var isWellFormed: Bool {
        seconds <= MessageLimits.durationSeconds && minimumSeconds >= 1 && minimumSeconds <= maximumSeconds
            && maximumSeconds <= MessageLimits.durationSeconds
    }
}

/// The state that a box sends to each authenticated phone on every change and on request.
public struct BoxState: Equatable, Sendable {
    public var session: SessionState
    /// The session's user, 1…`UserName.byteLimit` bytes; nil without a session.
    public var user: [UInt8]?
    public var autoLogout: AutoLogout
    /// Seconds until logout; nil while no deadline runs.
    public var logoutInSeconds: UInt32?
    /// True if the password changed since the credential was stored on the box.
    public var credentialStale: Bool
    /// PIN attempts left for the credential that box or site holds for this phone: 0 while the last one is checked, nil
    /// if there is no credential or the number is unknown.
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

    /// True if every field is within its bounds, and there is a user exactly when there is a session.
    var isWellFormed: Bool {
        guard autoLogout.isWellFormed, (session == .none) == (user == nil) else { return false }
        if let user, !UserName.isName(user) { return false }
        guard logoutInSeconds ?? 0 <= MessageLimits.durationSeconds else { return false }
        return pinAttemptsLeft ?? 0 <= PINRules.attempts
    }
}
