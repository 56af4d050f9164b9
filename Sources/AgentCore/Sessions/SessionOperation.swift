/// An operation on a session.
public enum SessionOperation: String, Sendable, CaseIterable {
    case lock
    case unlock
    case logout
}

/// A PAM session that a phone's login opened, with its logind session and terminal as far as known.
public struct SessionTarget: Hashable, Sendable {
    /// The user's name in PAM, as bytes.
    public let user: [UInt8]
    /// XDG_SESSION_ID from the PAM handle's environment. Nil if pam_systemd does not run.
    public let logindSession: [UInt8]?
    /// PAM_TTY.
    public let terminal: [UInt8]?

    public init(user: [UInt8], logindSession: [UInt8]?, terminal: [UInt8]?) {
        self.user = user
        self.logindSession = logindSession
        self.terminal = terminal
    }
}

/// The outcome of an operation. The reasons are sentences for the log and the administrator.
public enum SessionOutcome: Equatable, Sendable {
    case done
    /// This box has no means to perform the operation.
    case cannot(reason: String)
    /// The session ended before the operation did.
    case gone
    /// The operation was tried, and may have failed.
    case failed(reason: String)

    /// The reason why the operation was not done, or nil if it was.
    package var reason: String? {
        switch self {
        case .done: nil
        case .gone: "the session ended meanwhile"
        case .cannot(let reason), .failed(let reason): reason
        }
    }
}
