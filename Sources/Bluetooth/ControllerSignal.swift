import CBluetooth
import EventLoop
import Glibc

/// The signal strength of a connection's peer, as the Bluetooth controller measures it.
public enum ControllerSignal {
    /// The value of HCI for an unknown RSSI (Core Specification, vol. 4 part E, 7.5.4).
    private static let unknown: Int32 = 127

    /// Asks the controller `hci<adapter>`, and waits for its answer until `deadline`, a time since boot. Returns nil if
    /// the controller does not know the value, does not answer, or has no such connection.
    public static func measure(
        _ peer: BluetoothAddress, adapter: Int, on loop: EpollLoop, until deadline: Duration
    ) async throws(SystemError) -> Int? {
        guard let index = Int32(exactly: adapter) else { return nil }
        let socket = OwnedDescriptor(try checked(cbluetooth_hci_open(index), "open hci\(adapter)"))
        let answered = WaitPoint(on: loop)
        let token = try loop.watch(socket.number, for: .readable) { _ in answered.signal() }
        defer {
            loop.unwatch(token)
            withExtendedLifetime(socket) {}
        }
        let handle = try checked(
            cbluetooth_hci_ask_signal(socket.number, peer.bytes), "ask hci\(adapter) for the signal of \(peer)")
        while true {
            let mark = answered.mark()
            var signal: Int32 = unknown
            let outcome = cbluetooth_hci_read_signal(socket.number, handle, &signal)
            if outcome == 1 { return signal == unknown ? nil : Int(signal) }
            if outcome == 0 || outcome == -EINTR { continue }
            guard outcome == -EAGAIN else { return nil }
            guard await answered.wait(since: mark, until: deadline) == .signalled else { return nil }
        }
    }
}
