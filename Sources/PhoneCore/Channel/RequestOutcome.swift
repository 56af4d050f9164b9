import PhoneMessages

/// What a box made of a request.
public enum RequestOutcome: Sendable, Equatable {
    case done
    case refused(ResultCode, ResultDetail)
}

/// A login on its way.
public enum RequestProgress: Sendable, Equatable {
    /// The box has the credential and waits for a login prompt to ask for it.
    case waitingForPrompt
    /// A login program has taken it; the verdict comes.
    case delivered
    /// The password was accepted. The person is not logged in yet.
    case passwordAccepted
    /// The person has to type a new password on the box's screen.
    case passwordMustChange

    init(_ progress: LoginProgress) {
        switch progress {
        case .waitingForPrompt: self = .waitingForPrompt
        case .delivered: self = .delivered
        case .passwordAccepted: self = .passwordAccepted
        case .passwordMustChange: self = .passwordMustChange
        }
    }
}
