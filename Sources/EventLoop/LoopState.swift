/// The reason why a wait ended.
public enum WaitOutcome: Sendable, Equatable {
    case signalled
    case timedOut
    case cancelled
}

/// The directions in which a descriptor is ready. A hang-up or an error sets both directions; the next read or write
/// then returns it.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    public static let hangup = Readiness(rawValue: 4)
}

/// The loop's data, guarded by its one lock.
struct LoopState {
    struct Waiter {
        let continuation: CheckedContinuation<WaitOutcome, Never>
        let point: UInt64?
        let hasDeadline: Bool
    }

    struct Watch {
        let descriptor: Int32
        let handler: @Sendable (Readiness) -> Void
    }

    var jobs: [UnownedJob] = []
    var callbacks: [@Sendable () -> Void] = []
    var timers = TimerQueue()
    var waiters: [UInt64: Waiter] = [:]
    struct Point {
        var signals: UInt64 = 0
        /// The waiting IDs, in order of arrival.
        var waiters: [UInt64] = []
    }

    var points: [UInt64: Point] = [:]
    var watches: [UInt64: Watch] = [:]
    /// The deadline that the timer descriptor is set to.
    var armed: Duration?
    var isStopped = false
    /// All waits end at once as cancelled.
    var endsWaits = false
    /// The loop is in epoll_wait or about to enter it; new work must wake it.
    var isSleeping = false
    private var lastID: UInt64 = 1

    /// Returns the next ID. Tokens 0 and 1 belong to the loop's own descriptors.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    var hasWork: Bool { !jobs.isEmpty || !callbacks.isEmpty }

    /// Ends a wait, which the caller resumes after unlocking. Returns nil if the wait has already ended.
    mutating func take(_ id: UInt64) -> CheckedContinuation<WaitOutcome, Never>? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        if waiter.hasDeadline { timers.giveUp(id) }
        if let point = waiter.point { leave(point, id) }
        return waiter.continuation
    }

    /// Ends every present and future wait.
    mutating func endWaits() -> [CheckedContinuation<WaitOutcome, Never>] {
        endsWaits = true
        return waiters.keys.sorted().compactMap { take($0) }
    }

    mutating func takeDue(at now: Duration) -> [CheckedContinuation<WaitOutcome, Never>] {
        var due: [CheckedContinuation<WaitOutcome, Never>] = []
        while let id = timers.popDue(at: now) {
            guard let waiter = waiters.removeValue(forKey: id) else { continue }
            if let point = waiter.point { leave(point, id) }
            due.append(waiter.continuation)
        }
        return due
    }

    /// Counts the signal and returns the tasks that waited for it.
    mutating func takeAll(at point: UInt64) -> [CheckedContinuation<WaitOutcome, Never>] {
        let waiting = points[point]?.waiters ?? []
        points[point]?.signals += 1
        return waiting.compactMap { take($0) }
    }

    private mutating func leave(_ point: UInt64, _ id: UInt64) {
        points[point]?.waiters.removeAll { $0 == id }
    }
}
