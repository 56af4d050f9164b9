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
        _ = await loop.waitForAny(of: [process, bus])
        process.cancel()
        bus.cancel()
        return ProcessWatch.isRunning(leader) ? .busEnded : .leaderEnded
    }
}
