import EventLoop

/// Counts the tasks of the agent, and waits until none runs.
final class RunningWork: Sendable {
    private let loop: EpollLoop
    private let ended: WaitPoint
    /// SAFETY: only changed on the loop, where `run` and the tasks that it spawns run.
    nonisolated(unsafe) private var count = 0

    init(_ loop: EpollLoop) {
        self.loop = loop
        ended = WaitPoint(on: loop)
    }

    /// Starts work, in order of the calls. Must be called on the loop.
    func run(_ work: @escaping @Sendable () async -> Void) {
        count += 1
        loop.spawn {
            await work()
            self.count -= 1
            self.ended.signal()
        }
    }

    /// Waits until no task runs, at most until `limit`.
    func wait(until limit: Duration) async {
        while count > 0, loop.now() < limit {
            let mark = ended.mark()
            guard count > 0, await ended.wait(since: mark, until: limit) == .signalled else { return }
        }
    }
}
