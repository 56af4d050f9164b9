import PhoneCore
import PhoneMessages

extension RequestOutcome {
    func write(_ writer: inout HostWriter) {
        switch self {
        case .done: writer.record("done")
        case .refused(let code, let detail):
            writer.array(4)
            writer.text("refused")
            writer.number(code.rawValue)
            writer.optional(detail.attemptsLeft)
            writer.optional(detail.retryAfterSeconds)
        }
    }
}

extension BoxState {
    /// Writes session, user, automatic logout (seconds, least, most, may be off), seconds until logout, whether the
    /// stored password is out of date, and PIN tries left.
    func write(_ writer: inout HostWriter) {
        writer.array(9)
        writer.number(session.rawValue)
        if let user { writer.bytes(user) } else { writer.null() }
        writer.number(autoLogout.seconds)
        writer.number(autoLogout.minimumSeconds)
        writer.number(autoLogout.maximumSeconds)
        writer.flag(autoLogout.mayBeOff)
        writer.optional(logoutInSeconds)
        writer.flag(credentialStale)
        writer.optional(pinAttemptsLeft)
    }
}

extension LogoutWarning {
    func write(_ writer: inout HostWriter) {
        writer.array(3)
        writer.number(seconds)
        writer.number(cause.rawValue)
        writer.flag(canExtend)
    }
}
