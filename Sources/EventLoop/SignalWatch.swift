import CLinux
import Glibc

/// Signals as events of the loop (signalfd). They stay blocked in this thread after the watch ends.
public final class SignalWatch: Sendable {
    private let loop: EpollLoop
    private let descriptor: Int32
    private let token: WatchToken

    /// Must be called on the loop's thread or before the loop runs, and before another thread is made.
    init(_ signals: [Int32], on loop: EpollLoop, handler: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
        let descriptor = try checked(clinux_signalfd(signals, signals.count), "receive signals")
        do throws(SystemError) {
            token = try loop.watch(descriptor, for: .readable) { _ in
                while true {
                    let signal = clinux_signalfd_read(descriptor)
                    guard signal > 0 else { return }
                    handler(signal)
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.loop = loop
        self.descriptor = descriptor
    }

    deinit {
        loop.unwatch(token)
        close(descriptor)
    }
}

extension EpollLoop {
    /// Calls `handler` on the loop for each of these signals, until the returned watch is released.
    public func signals(
        _ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void
    ) throws(SystemError) -> SignalWatch {
        try SignalWatch(signals, on: self, handler: handler)
    }
}
