import DBus
import EventLoop

/// What a helper waits for.
enum SessionEnd: Sendable {
    /// The process that leads the session has ended, and the session with it.
    case leaderEnded
    /// The bus has ended; the session goes on.
    case busEnded

    static func wait(for leader: Int32, or connection: DBusConnection, on loop: EpollLoop) async -> SessionEnd {
        let process = loop.spawn { await ProcessWatch.waitUntilEnded(leader, on: loop) }
        let bus = loop.spawn { await connection.waitUntilEnded() }
        let either = WaitPoint(on: loop)
        let mark = either.mark()
        for task in [process, bus] {
            loop.spawn {
                await task.value
                either.signal()
            }
        }
        _ = await either.wait(since: mark)
        process.cancel()
        bus.cancel()
        return ProcessWatch.isRunning(leader) ? .busEnded : .leaderEnded
    }
}
