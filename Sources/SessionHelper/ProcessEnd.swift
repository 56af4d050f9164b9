import DBus
import EventLoop

/// The end of a session: of the process that leads it, or of the bus.
enum ProcessEnd {
    static func wait(for process: Int32, or connection: DBusConnection, on loop: EpollLoop) async {
        let leader = loop.spawn { await ProcessWatch.waitUntilEnded(process, on: loop) }
        let bus = loop.spawn { await connection.waitUntilEnded() }
        let either = WaitPoint(on: loop)
        let mark = either.mark()
        for task in [leader, bus] {
            loop.spawn {
                await task.value
                either.signal()
            }
        }
        _ = await either.wait(since: mark)
        leader.cancel()
        bus.cancel()
    }
}
