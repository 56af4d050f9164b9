import CLinux
import Glibc
import Synchronization

/// The program's one thread: an executor for actors and tasks, over epoll, with one timer descriptor.
///
/// Actors are pinned to it by `nonisolated var unownedExecutor { loop.asUnownedSerialExecutor() }`.
///
/// Tasks are started by `spawn` and never by a bare `Task {}`, not even inside a pinned actor. A task without a
/// preferred executor resumes every continuation on the runtime's thread pool before it returns to its actor. With
/// Swift 6.3, we measured three threads after one round of messages. A closure that does not mention `self` even starts
/// on that pool. Child tasks and ordinary actors follow the task that calls them.
///
/// An idle loop sleeps in epoll_wait without a time limit and never wakes.
public final class EpollLoop: SerialExecutor, TaskExecutor {
    private static let wakeToken: UInt64 = 0
    private static let timerToken: UInt64 = 1
    /// Maximum number of events taken from the kernel in one turn.
    private static let turnEvents = 64
    /// Maximum number of rounds of jobs between two polls of the descriptors.
    private static let turnRounds = 8

    private let epoll: Int32
    private let wakeDescriptor: Int32
    private let timerDescriptor: Int32
    private let state = Guarded(LoopState())
    /// The pthread that is inside `run`, or 0.
    private let thread = Atomic<UInt>(0)
    private let worker = OffloadWorker()

    /// Also ignores SIGPIPE in this process: writing to a closed pipe or socket then returns an error.
    public init() throws(SystemError) {
        epoll = try checked(clinux_epoll_create(), "make an epoll descriptor")
        wakeDescriptor = try checked(clinux_eventfd(), "make an eventfd")
        timerDescriptor = try checked(clinux_timerfd(), "make a timerfd")
        let readable = Readiness.readable.rawValue
        _ = try checked(clinux_epoll_add(epoll, wakeDescriptor, readable, Self.wakeToken), "watch an eventfd")
        _ = try checked(clinux_epoll_add(epoll, timerDescriptor, readable, Self.timerToken), "watch a timerfd")
        _ = try checked(clinux_ignore_sigpipe(), "ignore SIGPIPE")
    }

    deinit {
        close(epoll)
        close(wakeDescriptor)
        close(timerDescriptor)
    }

    // MARK: Running

    /// Runs jobs and events on the calling thread until `stop`. A loop runs once.
    public func run() {
        thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
        defer { thread.store(0, ordering: .sequentiallyConsistent) }
        while runTurn() {
            waitForEvents()
        }
    }

    /// Makes `run` return after the current work; may be called from any thread.
    public func stop() {
        let wake = state.withLock { state in
            state.isStopped = true
            return Self.claimWake(&state)
        }
        if wake { signalWake() }
    }

    /// Time since boot, suspend included (CLOCK_BOOTTIME).
    public func now() -> Duration {
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        clinux_boottime(&seconds, &nanoseconds)
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    /// Runs the queued jobs and those that they add. The number of rounds is bounded, so that events are never starved.
    private func runTurn() -> Bool {
        for _ in 0..<Self.turnRounds {
            guard runJobs() else { return false }
            guard state.withLock({ $0.hasWork }) else { return true }
        }
        return true
    }

    private func runJobs() -> Bool {
        let (jobs, callbacks, stopped) = state.withLock { state in
            defer {
                state.jobs.removeAll(keepingCapacity: state.jobs.capacity <= 256)
                state.callbacks.removeAll()
            }
            return (state.jobs, state.callbacks, state.isStopped)
        }
        for callback in callbacks {
            callback()
        }
        for job in jobs {
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        return !stopped
    }

    private func waitForEvents() {
        let sleeps = state.withLock { state in
            armTimer(&state)
            state.isSleeping = !state.hasWork && !state.isStopped
            return state.isSleeping
        }
        var events = [UInt32](repeating: 0, count: Self.turnEvents)
        var tokens = [UInt64](repeating: 0, count: Self.turnEvents)
        let count = clinux_epoll_wait(epoll, &events, &tokens, Int32(Self.turnEvents), sleeps ? 1 : 0)
        state.withLock { $0.isSleeping = false }
        for index in 0..<max(0, Int(count)) {
            handle(Readiness(rawValue: events[index]), token: tokens[index])
        }
    }

    private func handle(_ readiness: Readiness, token: UInt64) {
        switch token {
        case Self.wakeToken: return
        case Self.timerToken:
            let due = state.withLock { state in
                state.armed = nil
                return state.takeDue(at: now())
            }
            for continuation in due {
                continuation.resume(returning: .timedOut)
            }
        default:
            // A watch removed earlier in this turn is not called again.
            state.withLock { $0.watches[token]?.handler }?(readiness)
        }
    }

    /// Sets the timer only if the first deadline has changed, and at most once per turn.
    private func armTimer(_ state: inout LoopState) {
        let next = state.timers.next()
        guard next != state.armed else { return }
        // A deadline of zero would disarm the timer.
        let parts = max(next ?? .zero, .zero).components
        let nanoseconds = parts.attoseconds / 1_000_000_000
        let past = next != nil && parts.seconds == 0 && nanoseconds == 0
        // This cannot fail with these arguments; if it did, the loop would retry in its next turn.
        if clinux_timerfd_arm(timerDescriptor, parts.seconds, past ? 1 : nanoseconds) == 0 {
            state.armed = next
        }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let wake = state.withLock { state in
            state.jobs.append(unowned)
            return Self.claimWake(&state)
        }
        if wake { signalWake() }
    }

    public func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .sequentiallyConsistent) == UInt(pthread_self())
    }

    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "called off the event loop's thread")
    }

    /// Runs `body` on the loop soon. Works from any thread, also in code that cannot await. In `body`, `assumeIsolated`
    /// enters an actor that is pinned to the loop.
    public func post(_ body: @escaping @Sendable () -> Void) {
        let wake = state.withLock { state in
            state.callbacks.append(body)
            return Self.claimWake(&state)
        }
        if wake { signalWake() }
    }

    /// Starts a task that stays on the loop, with its child tasks and the ordinary actors that it calls.
    @discardableResult
    public func spawn<Success: Sendable>(
        _ body: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        Task.detached(executorPreference: self) { await body() }
    }

    private static func claimWake(_ state: inout LoopState) -> Bool {
        defer { state.isSleeping = false }
        return state.isSleeping
    }

    private func signalWake() {
        // EAGAIN would mean that the counter is full, so the loop has already been woken.
        _ = clinux_eventfd_signal(wakeDescriptor)
    }

    // MARK: Waiting

    /// Waits until a time since boot; throws at once if the task is cancelled.
    public func sleep(
        until deadline: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws(CancellationError) {
        guard await park(at: nil, until: deadline) != .cancelled else { throw CancellationError() }
    }

    func makePoint() -> UInt64 {
        state.withLock { state in
            let id = state.nextID()
            state.points[id] = LoopState.Point()
            return id
        }
    }

    func removePoint(_ point: UInt64) {
        state.withLock { $0.points[point] = nil }
    }

    func signals(at point: UInt64) -> UInt64 {
        state.withLock { $0.points[point]?.signals ?? 0 }
    }

    func signal(_ point: UInt64) {
        for continuation in state.withLock({ $0.takeAll(at: point) }) {
            continuation.resume(returning: .signalled)
        }
    }

    /// Suspends the task until the point has more signals than `signals`, the deadline passes, or the task is
    /// cancelled.
    ///
    /// The closures below inherit the isolation only through the parameter. Without it, they would run on the runtime's
    /// thread pool whenever the task has no executor of its own.
    func park(
        at place: (point: UInt64, signals: UInt64)?, until deadline: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async -> WaitOutcome {
        let id = state.withLock { $0.nextID() }
        return await withTaskCancellationHandler {
            _ = isolation
            return await withCheckedContinuation(isolation: isolation) { continuation in
                register(id, continuation, at: place, until: deadline)
            }
        } onCancel: {
            state.withLock { $0.take(id) }?.resume(returning: .cancelled)
        }
    }

    /// Ends every present and future wait as cancelled, so that tasks on the loop can end before the loop does.
    func endWaits() {
        for continuation in state.withLock({ $0.endWaits() }) { continuation.resume(returning: .cancelled) }
    }

    private func register(
        _ id: UInt64, _ continuation: CheckedContinuation<WaitOutcome, Never>,
        at place: (point: UInt64, signals: UInt64)?, until deadline: Duration?
    ) {
        var wake = false
        let outcome = state.withLock { state -> WaitOutcome? in
            // The task's flag is set before its handler runs, so this check or the handler notices the cancellation.
            if Task.isCancelled || state.endsWaits { return .cancelled }
            if let place {
                guard state.points[place.point]?.signals == place.signals else { return .signalled }
                state.points[place.point]?.waiters.append(id)
            }
            if let deadline {
                state.timers.insert(id, at: deadline)
                wake = Self.claimWake(&state)
            }
            state.waiters[id] = .init(
                continuation: continuation, point: place?.point, hasDeadline: deadline != nil)
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
        if wake { signalWake() }
    }

    // MARK: Descriptors

    /// Calls `handler` on the loop at each change of the descriptor's readiness (edge-triggered: read until EAGAIN).
    /// The caller still owns the descriptor, and must call `unwatch` before closing it.
    public func watch(
        _ descriptor: Int32, for interest: Readiness, handler: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> WatchToken {
        let token = state.withLock { state in
            let token = state.nextID()
            state.watches[token] = .init(descriptor: descriptor, handler: handler)
            return token
        }
        let added = clinux_epoll_add(epoll, descriptor, interest.rawValue, token)
        if added < 0 {
            state.withLock { $0.watches[token] = nil }
            throw SystemError(code: -added, attempt: "watch a descriptor")
        }
        return WatchToken(value: token)
    }

    public func unwatch(_ token: WatchToken) {
        guard let watch = state.withLock({ $0.watches.removeValue(forKey: token.value) }) else { return }
        _ = clinux_epoll_remove(epoll, watch.descriptor)
    }

    /// Runs blocking work, such as Argon2, on one worker thread that is made at first use, and returns the result.
    ///
    /// - Throws: `queueFull` if `OffloadWorker.queueJobs` jobs wait; `noThread` if Linux grants no thread. Cancellation
    ///   does not interrupt work that has begun.
    public func offload<Success: Sendable>(
        _ work: @escaping @Sendable () -> Success
    ) async throws(OffloadError) -> Success {
        try await worker.run(work)
    }
}

/// A watched descriptor.
public struct WatchToken: Sendable, Hashable {
    let value: UInt64
}
