import PhoneMessages

extension LogoutCause {
    /// Why, for the person and the log.
    package var explanation: String {
        switch self {
        case .away: "the phone that opened it is away"
        case .idle: "nobody has worked in it"
        case .longest: "it has lasted as long as sessions may here"
        case .closing: "the site closes"
        }
    }

    /// Why, for the phone.
    package var end: SessionEnd {
        switch self {
        case .away: .away
        case .idle: .idle
        case .longest: .longest
        case .closing: .closing
        }
    }
}
