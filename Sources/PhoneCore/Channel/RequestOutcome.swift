import PhoneMessages

/// The box's decision about a request.
public enum RequestOutcome: Sendable, Equatable {
    case done
    case refused(ResultCode, ResultDetail)
}
