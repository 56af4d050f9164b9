import CLinux
import Glibc

/// Tells systemd about this service (sd_notify(3)); without systemd, every call does nothing.
public struct Notify: Sendable {
    private let socket: [UInt8]?
    /// How often systemd wants to hear from the service; nil: the watchdog is off.
    public let watchdogPeriod: Duration?

    /// Pings come after this share of the period: fewer than two wake-ups a period, with room to be late.
    private static let pingShare = 0.6

    /// From the environment that systemd made.
    public init() {
        socket = InheritedSockets.variable("NOTIFY_SOCKET").map { Array($0.utf8) }
        let forUs = InheritedSockets.variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let microseconds = InheritedSockets.variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogPeriod = forUs && microseconds > 0 && socket != nil ? .microseconds(microseconds) : nil
    }

    public init(socket: String, watchdogPeriod: Duration?) {
        self.socket = Array(socket.utf8)
        self.watchdogPeriod = watchdogPeriod
    }

    /// The service can be used.
    public func ready() { send("READY=1") }

    /// The service is ending.
    public func stopping() { send("STOPPING=1") }

    /// The configuration is being read again; `ready` follows.
    public func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(clinux_monotonic_microseconds())")
    }

    /// One line for `systemctl status`.
    public func status(_ text: String) {
        var line = Array("STATUS=".utf8)
        for byte in text.utf8 { line.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte) }
        send(line)
    }

    /// Keeps systemd's watchdog content for as long as the loop turns, until the task is cancelled; nil when the
    /// watchdog is off: then nothing ever wakes the loop.
    public func keepWatchdog(on loop: EpollLoop) -> Task<Void, Never>? {
        guard let watchdogPeriod else { return nil }
        return loop.spawn {
            while !Task.isCancelled {
                send("WATCHDOG=1")
                try? await loop.sleep(until: loop.now() + watchdogPeriod * Self.pingShare)
            }
        }
    }

    private func send(_ text: String) { send(Array(text.utf8)) }

    private func send(_ bytes: [UInt8]) {
        guard let socket else { return }
        // Nothing can be done about a systemd that does not listen.
        _ = clinux_send_datagram(socket, socket.count, bytes, bytes.count, 1)
    }
}
