import EventLoop

/// What runs beside the agent, and how to wait until nothing does.
final class RunningWork: Sendable {
    private let loop: EpollLoop
    private let ended: WaitPoint
    /// SAFETY: changed on the loop alone, which `run` and what it spawns are on.
    nonisolated(unsafe) private var count = 0

    init(_ loop: EpollLoop) {
        self.loop = loop
        ended = WaitPoint(on: loop)
    }

    /// Called on the loop; work that is begun first runs first.
    func run(_ work: @escaping @Sendable () async -> Void) {
        count += 1
        loop.spawn {
            await work()
            self.count -= 1
            self.ended.signal()
        }
    }

    /// Waits until nothing runs, no longer than `limit`.
    func wait(until limit: Duration) async {
        while count > 0, loop.now() < limit {
            let mark = ended.mark()
            guard count > 0, await ended.wait(since: mark, until: limit) == .signalled else { return }
        }
    }
}
