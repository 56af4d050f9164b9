import Glibc

extension EpollLoop {
    /// For main.swift: runs `body` on a loop on this thread and returns its exit code.
    ///
    /// If the loop cannot be made, prints the reason to standard error and returns 71 (EX_OSERR of sysexits.h).
    public static func runMain(_ body: @escaping @Sendable (EpollLoop) async -> Int32) -> Int32 {
        let loop: EpollLoop
        do throws(SystemError) {
            loop = try EpollLoop()
        } catch {
            let text = Array("\(error)\n".utf8)
            _ = write(2, text, text.count)
            return 71
        }
        let result = Guarded(Int32(0))
        loop.spawn {
            let code = await body(loop)
            result.withLock { $0 = code }
            loop.stop()
        }
        loop.run()
        return result.withLock { $0 }
    }

    /// Rounds of jobs that `withThread` grants to tasks that still wait at its end.
    private static let farewellRounds = 64

    /// Runs `body` on a new loop and thread, which end with it. For tests, and for programs with a busy main thread.
    public static func withThread<Success: Sendable>(
        _ body: @escaping @Sendable (EpollLoop) async throws -> Success
    ) async throws -> Success {
        let loop = try EpollLoop()
        try startThread(stackBytes: 1_024 * 1_024) { loop.run() }
        let task = Task.detached(executorPreference: loop) { try await body(loop) }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        loop.endWaits()
        // Parked tasks run to their end here, or they would stay in memory. The number of rounds is bounded, because a
        // task may wait again.
        for _ in 0..<Self.farewellRounds { await Task.detached(executorPreference: loop) {}.value }
        loop.stop()
        return try result.get()
    }
}
