/// An event from logind. Events are in order.
public enum LogindEvent: Equatable, Sendable {
    /// Every session is known. Existing sessions came before as `appeared`.
    case available
    /// logind is there, but its sessions are not all read yet.
    case unread(String)
    /// logind cannot be asked. No session counts as ended because of that.
    case unavailable(String)
    case appeared(LogindSession)
    case changed(LogindSession)
    case removed(LogindSession)
    /// The machine is about to suspend, and waits some seconds at most for `Logind.maySleep()`.
    case sleeping
    case woke
    /// The machine is about to shut down, or is no longer.
    case shuttingDown(Bool)
}
