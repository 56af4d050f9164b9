import PhoneMessages

extension LogoutCause {
    /// The reason, for the user and the log.
    package var explanation: String {
        switch self {
        case .away: "the phone that opened it is away"
        case .idle: "it was idle for too long"
        case .longest: "it has reached the longest time allowed here"
        case .closing: "the site is closing"
        }
    }

    /// The reason, for the phone.
    package var end: SessionEnd {
        switch self {
        case .away: .away
        case .idle: .idle
        case .longest: .longest
        case .closing: .closing
        }
    }
}
