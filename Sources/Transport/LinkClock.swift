/// A clock for shells around a link that may not read the time themselves.
public protocol LinkClock: Sendable {
    /// Returns the time since boot, including suspend.
    func now() -> Duration
    /// Waits until a time since boot. Throws at once if the task is cancelled.
    func sleep(until deadline: Duration) async throws(CancellationError)
}
