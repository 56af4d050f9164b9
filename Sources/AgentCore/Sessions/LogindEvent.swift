/// What happens at logind, in order.
public enum LogindEvent: Equatable, Sendable {
    /// Every session is known; the sessions that were there came before as `appeared`.
    case available
    /// logind cannot be asked. The sessions go on, and are not known to have ended.
    case unavailable(String)
    case appeared(LogindSession)
    case changed(LogindSession)
    case removed(LogindSession)
    /// The machine is about to sleep, and waits until `Logind.maySleep()`, some seconds at most.
    case sleeping
    case woke
}
