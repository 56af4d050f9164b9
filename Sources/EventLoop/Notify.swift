import CLinux
import Glibc

/// Reports the service's state to systemd (sd_notify(3)). Without systemd, every call does nothing.
public struct Notify: Sendable {
    private let socket: [UInt8]?
    /// The longest time between two pings that systemd accepts; nil if the watchdog is off.
    public let watchdogPeriod: Duration?

    /// Share of the period after which a ping is sent: fewer than two wake-ups per period, with room for delay.
    private static let pingShare = 0.6

    /// Reads the environment that systemd made.
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

    /// Reports that the service can be used.
    public func ready() { send("READY=1") }

    /// Reports that the service is ending.
    public func stopping() { send("STOPPING=1") }

    /// Reports that the configuration is being read again; `ready` follows.
    public func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(clinux_monotonic_microseconds())")
    }

    /// Sets the one line for `systemctl status`.
    public func status(_ text: String) {
        var line = Array("STATUS=".utf8)
        for byte in text.utf8 { line.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte) }
        send(line)
    }

    /// Pings systemd's watchdog for as long as the loop turns, until the task is cancelled. Returns nil if the watchdog
    /// is off, so that the loop is never woken.
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
        // If systemd does not listen, the program can do nothing about it.
        _ = clinux_send_datagram(socket, socket.count, bytes, bytes.count, 1)
    }
}
