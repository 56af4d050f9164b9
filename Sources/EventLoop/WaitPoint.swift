extension EpollLoop {
    /// Waits until one of the tasks has ended, at most until a time since boot. The other tasks continue.
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

/// A place where tasks wait for an event on the loop.
///
/// A signal is counted, not kept: take a `mark`, check the condition, then wait for signals since the mark. So no
/// signal is missed, whatever the runtime does between the check and the wait.
public final class WaitPoint: Sendable {
    /// The number of signals at one moment.
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

    /// Waits for a signal after the mark, at most until a time since boot. Ends at once if the task is cancelled.
    public func wait(
        since mark: Mark, until deadline: Duration? = nil, isolation: isolated (any Actor)? = #isolation
    ) async -> WaitOutcome {
        await loop.park(at: (id, mark.signals), until: deadline)
    }

    /// Wakes all waiting tasks. May be called from any thread.
    public func signal() {
        loop.signal(id)
    }
}
