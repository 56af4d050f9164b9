import DBus
import EventLoop

/// The event that a helper waits for.
enum SessionEnd: Sendable {
    /// The process that leads the session has ended, and so has the session.
    case leaderEnded
    /// The connection to the bus has ended, but the session continues.
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
