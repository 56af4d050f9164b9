/// A serial executor on Swift's own threads. A default actor runs its jobs one at a time.
final class Lane: SerialExecutor {
    private actor Runner {
        func run(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
            job.runSynchronously(on: executor)
        }
    }

    private let runner = Runner()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        Task { await runner.run(job, executor) }
    }
}
