import EventLoop
import Transport

/// The event loop's time, for the shells of Transport and PhoneKit.
struct LoopClock: LinkClock {
    let loop: EpollLoop

    func now() -> Duration { loop.now() }

    func sleep(until deadline: Duration) async throws(CancellationError) {
        try await loop.sleep(until: deadline)
    }
}
