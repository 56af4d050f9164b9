/// What can be done to a session.
public enum SessionOperation: String, Sendable, CaseIterable {
    case lock
    case unlock
    case logout
}

/// A PAM session that a phone's login opened, and what is known of its logind session and terminal.
public struct SessionTarget: Hashable, Sendable {
    /// The user, as PAM names it: bytes.
    public let user: [UInt8]
    /// XDG_SESSION_ID of the PAM handle's environment; nil where pam_systemd does not run.
    public let logindSession: [UInt8]?
    /// PAM_TTY.
    public let terminal: [UInt8]?

    public init(user: [UInt8], logindSession: [UInt8]?, terminal: [UInt8]?) {
        self.user = user
        self.logindSession = logindSession
        self.terminal = terminal
    }
}

/// How an operation ended. The reasons are sentences for the log and the administrator.
public enum SessionOutcome: Equatable, Sendable {
    case done
    /// This box has no way to do it.
    case cannot(reason: String)
    /// It was tried and is not known to have happened.
    case failed(reason: String)

    /// Why it was not done; nil if it was.
    package var reason: String? {
        switch self {
        case .done: nil
        case .cannot(let reason), .failed(let reason): reason
        }
    }
}
