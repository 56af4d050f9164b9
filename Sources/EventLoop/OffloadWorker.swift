import Glibc

/// The reason why the worker thread did not accept work.
public enum OffloadError: Error, Equatable, Sendable, CustomStringConvertible {
    case queueFull
    case noThread(SystemError)

    public var description: String {
        switch self {
        case .queueFull: "too much work is waiting; try again in a moment"
        case .noThread(let error): "\(error); raise the limit of threads (TasksMax) of this service"
        }
    }
}

/// One thread for blocking work, made when first needed and fed by a bounded queue.
public final class OffloadWorker: Sendable {
    /// Maximum number of jobs that may wait.
    static let queueJobs = 64
    /// Size of the thread's stack. Argon2's memory is on the heap.
    static let stackBytes = 512 * 1_024

    private let core = WorkerCore()

    public init() {}

    deinit { core.end() }

    /// Runs the work on the thread and returns its result.
    public func run<Success: Sendable>(
        _ work: @escaping @Sendable () -> Success
    ) async throws(OffloadError) -> Success {
        let core = core
        let outcome: Result<Success, OffloadError> = await withCheckedContinuation { continuation in
            if let refusal = core.add({ continuation.resume(returning: .success(work())) }) {
                continuation.resume(returning: .failure(refusal))
            }
        }
        return try outcome.get()
    }
}

/// The data that the worker thread shares with the loop; it outlives both.
///
/// SAFETY: the queue is guarded by its lock. The condition variable is made once and only used through pthread calls.
private final class WorkerCore: @unchecked Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var hasThread = false
        var hasEnded = false
    }

    private let queue = Guarded(Queue())
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        condition = .allocate(capacity: 1)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    func add(_ job: @escaping @Sendable () -> Void) -> OffloadError? {
        let refusal = queue.withLock { queue -> OffloadError? in
            guard queue.jobs.count < OffloadWorker.queueJobs else { return .queueFull }
            if !queue.hasThread {
                do throws(SystemError) {
                    try startThread(stackBytes: OffloadWorker.stackBytes) { self.work() }
                } catch {
                    return .noThread(error)
                }
                queue.hasThread = true
            }
            queue.jobs.append(job)
            return nil
        }
        if refusal == nil { pthread_cond_signal(condition) }
        return refusal
    }

    func end() {
        queue.withLock { $0.hasEnded = true }
        pthread_cond_signal(condition)
    }

    private func work() {
        while let job = next() {
            job()
        }
    }

    /// Returns the next job, or nil after `end` once the queue is empty.
    private func next() -> (@Sendable () -> Void)? {
        queue.wait(on: condition) { queue -> (@Sendable () -> Void)?? in
            if !queue.jobs.isEmpty { return .some(queue.jobs.removeFirst()) }
            return queue.hasEnded ? .some(nil) : nil
        }
    }
}
