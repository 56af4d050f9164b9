extension EpollLoop {
    /// Waits until one of the tasks has ended, at most until a time since boot. The others go on.
    public func waitForAny(
        of tasks: [Task<Void, Never>], until deadline: Duration? = nil, isolation: isolated (any Actor)? = #isolation
    ) async -> WaitOutcome {
        let ended = WaitPoint(on: self)
        let mark = ended.mark()
        for task in tasks {
            spawn {
                await task.value
                ended.signal()
            }
        }
        return await ended.wait(since: mark, until: deadline)
    }
}

/// A place where tasks wait for something that happens on the loop.
///
/// A signal is not kept, but it is counted: take a `mark`, check the condition, then wait for what came since the mark.
/// So nothing is missed, whatever the runtime does between the check and the wait.
public final class WaitPoint: Sendable {
    /// How many signals there had been.
    public struct Mark: Sendable {
        let signals: UInt64
    }

    private let loop: EpollLoop
    private let id: UInt64

    public init(on loop: EpollLoop) {
        self.loop = loop
        id = loop.makePoint()
    }

    deinit {
        loop.removePoint(id)
    }

    public func mark() -> Mark {
        Mark(signals: loop.signals(at: id))
    }

    /// Waits for a signal later than the mark, at most until a time since boot; ends at once when the task is cancelled.
    public func wait(
        since mark: Mark, until deadline: Duration? = nil, isolation: isolated (any Actor)? = #isolation
    ) async -> WaitOutcome {
        await loop.park(at: (id, mark.signals), until: deadline)
    }

    /// Wakes all who wait. From any thread.
    public func signal() {
        loop.signal(id)
    }
}
