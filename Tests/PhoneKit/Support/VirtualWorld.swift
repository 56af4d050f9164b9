import Glibc
import Synchronization
import Transport

/// An executor with one thread and virtual time. Everything in a test runs here, and to wait takes no real time.
///
/// Jobs run in the order of their arrival. Without jobs, the time jumps to the next sleeper's deadline. Without
/// sleepers, the test is stuck and throws `Stuck`.
final class VirtualWorld: SerialExecutor, TaskExecutor, LinkClock {
    /// Nothing can happen any more, and the test has not ended.
    struct Stuck: Error {}

    private struct State {
        var jobs: [UnownedJob] = []
        var now = Duration.seconds(1_000)
        var sleepers: [UInt64: (deadline: Duration, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var lastID: UInt64 = 0
        var thread: UInt = 0
    }

    private final class Outcome<Success: Sendable>: Sendable {
        let result = Mutex<Result<Success, any Error>?>(nil)
    }

    private let state = Mutex(State())

    /// Runs `body` to its end on the calling thread. Other tasks are then cancelled, not awaited.
    func run<Success: Sendable>(_ body: @escaping @Sendable () async throws -> Success) throws -> Success {
        let outcome = Outcome<Success>()
        state.withLock { $0.thread = UInt(pthread_self()) }
        defer { state.withLock { $0.thread = 0 } }
        Task.detached(executorPreference: self) {
            do {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
        }
        while true {
            if let result = outcome.result.withLock({ $0 }) {
                windDown()
                return try result.get()
            }
            guard runOneJob() || wakeNextSleeper() else { throw Stuck() }
        }
    }

    /// Cancels all tasks that the test left asleep, as the end of a program would.
    private func windDown() {
        var left = 10_000
        while left > 0, runOneJob() || cancelNextSleeper() {
            left -= 1
        }
    }

    private func cancelNextSleeper() -> Bool {
        let continuation = state.withLock { state in
            state.sleepers.keys.min().flatMap { state.sleepers.removeValue(forKey: $0)?.continuation }
        }
        continuation?.resume(returning: false)
        return continuation != nil
    }

    private func runOneJob() -> Bool {
        let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        guard let job else { return false }
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        return true
    }

    private func wakeNextSleeper() -> Bool {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let next = state.sleepers.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) })
            else { return nil }
            state.now = max(state.now, next.value.deadline)
            state.sleepers[next.key] = nil
            return next.value.continuation
        }
        continuation?.resume(returning: true)
        return continuation != nil
    }

    // MARK: Executor

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        state.withLock { $0.jobs.append(unowned) }
    }

    func isIsolatingCurrentContext() -> Bool? {
        state.withLock { $0.thread } == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "called outside the virtual world")
    }

    /// Starts a task beside the test.
    @discardableResult
    func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: self) { await body() }
    }

    // MARK: Time

    func now() -> Duration { state.withLock { $0.now } }

    func sleep(until deadline: Duration) async throws(CancellationError) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let slept = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    state.sleepers[id] = (deadline, continuation)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id)?.continuation }?.resume(returning: false)
        }
        guard slept else { throw CancellationError() }
    }
}
