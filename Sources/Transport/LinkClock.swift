/// Time for shells around a link that may not read a clock themselves.
public protocol LinkClock: Sendable {
    /// Time since boot, suspend included.
    func now() -> Duration
    /// Waits until a time since boot; throws at once when the task is cancelled.
    func sleep(until deadline: Duration) async throws(CancellationError)
}
