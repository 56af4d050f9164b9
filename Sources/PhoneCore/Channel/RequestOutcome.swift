import PhoneMessages

/// What a box made of a request.
public enum RequestOutcome: Sendable, Equatable {
    case done
    case refused(ResultCode, ResultDetail)
}
