import PhoneMessages

/// What a box made of a request.
public enum RequestOutcome: Sendable, Equatable {
    case done
    /// The password is right, and yet the account may not log in.
    case accountProblem(AccountProblem)
    case refused(ResultCode, ResultDetail)
}

/// A login on its way.
public enum RequestProgress: Sendable, Equatable {
    /// The box has the credential and waits for a login prompt to ask for it.
    case waitingForPrompt
    /// A login program has taken it; the verdict comes.
    case delivered
    /// The verdict is "correct". A word about the account may still follow.
    case correct

    init(_ progress: LoginProgress) {
        switch progress {
        case .waitingForPrompt: self = .waitingForPrompt
        case .delivered: self = .delivered
        }
    }
}
