import EventLoop
import Links
import Transport

/// The radio of a box that must stay unreachable: it only reports the reason.
final class StoppedRadio: PeripheralRadio {
    private let reason: RadioFault
    private let end: StopSignal

    init(_ reason: RadioFault, _ loop: EpollLoop) {
        self.reason = reason
        end = StopSignal(loop)
    }

    func start(identity: [UInt8], name: String) {}
    func show(identity: [UInt8], name: String) {}
    func setAdvertising(_ mode: AdvertisingMode) {}
    func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) { handler(.faulty(reason)) }

    func accept() async throws(LinkError) -> any PhoneLink {
        await end.wait()
        throw .closed
    }

    func stop() { end.signal() }
}
