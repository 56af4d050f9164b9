/// A clock for the code around a link, which must not read the time itself.
public protocol LinkClock: Sendable {
    /// Returns the time since boot, including suspend.
    func now() -> Duration
    /// Waits until `now()` reaches `deadline`. Throws at once if the task is cancelled.
    func sleep(until deadline: Duration) async throws(CancellationError)
}
