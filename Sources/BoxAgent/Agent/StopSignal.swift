import EventLoop

/// Lets the main task sleep until a signal ends the program.
final class StopSignal: Sendable {
    private let point: WaitPoint
    private let mark: WaitPoint.Mark

    init(_ loop: EpollLoop) {
        point = WaitPoint(on: loop)
        mark = point.mark()
    }

    func signal() { point.signal() }

    func wait() async {
        _ = await point.wait(since: mark)
    }
}
