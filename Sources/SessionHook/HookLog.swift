import CSessionHook
import PAMLogicEmbedded

/// The sockets of the logging services.
struct LogSockets {
    var journal = TextLine("/run/systemd/journal/stdout").bytes
    var syslog = TextLine("/dev/log").bytes
}

/// Logs by journald's stream protocol (sd_journal_stream_fd(3)), or by syslog(3) without journald. journald records who
/// connects, so connect as the user whose program writes.
struct HookLog {
    let sockets: LogSockets

    /// The priorities of syslog.
    static let information: UInt64 = 6
    static let warning: UInt64 = 4

    /// Logs one line of session-hook.
    func say(_ line: TextLine, priority: UInt64 = warning) {
        guard let stream = stream(priority: priority) else { return datagram(line.bytes, priority: priority) }
        var bytes = line.bytes
        bytes.append(0x0A)
        Self.send(bytes, stream)
        _ = close(stream)
    }

    /// Logs that a program was not run, with the obstacle and the reason.
    func refuse(
        _ kind: StaticString, _ program: [UInt8], _ what: [UInt8], _ reason: TextLine, priority: UInt64 = warning
    ) {
        var line = TextLine(kind)
        line.append(foreign: program)
        line.append(" was not run: ")
        line.append(foreign: what)
        line.append(": ")
        line.append(foreign: reason.bytes)
        say(line, priority: priority)
    }

    /// Returns a descriptor for a program's output, or nil without journald.
    func stream(priority: UInt64, of identifier: StaticString = "session-hook") -> Int32? {
        var descriptor: Int32 = -1
        sockets.journal.withCString { descriptor = chook_connect($0, 1) }
        guard descriptor >= 0 else { return nil }
        // The lines of the header: identifier, unit (journald knows it), priority, whether `<N>` before a line is a
        // priority, and forwarding to syslog, kmsg and the console.
        var header = TextLine(identifier)
        header.append("\n\n")
        header.append(priority)
        header.append("\n1\n0\n0\n0\n")
        guard Self.send(header.bytes, descriptor) else {
            _ = close(descriptor)
            return nil
        }
        // The program writes as to any standard output, and waits if journald is slow.
        guard chook_make_blocking(descriptor) == 0 else {
            _ = close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sends one line to syslog. It is lost if no service receives it.
    func datagram(_ line: [UInt8], priority: UInt64) {
        var descriptor: Int32 = -1
        sockets.syslog.withCString { descriptor = chook_connect($0, 0) }
        guard descriptor >= 0 else { return }
        var message = TextLine("<")
        message.append(8 + priority)  // the facility "user"
        message.append(">session-hook[")
        message.append(UInt64(truncatingIfNeeded: getpid()))
        message.append("]: ")
        Self.send(message.bytes + line, descriptor)
        _ = close(descriptor)
    }

    // SAFETY: the array outlives the call.
    @discardableResult
    private static func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        let flags = Int32(truncatingIfNeeded: MSG_NOSIGNAL)
        return bytes.withUnsafeBytes { CSessionHook.send(descriptor, $0.baseAddress, $0.count, flags) == $0.count }
    }
}

extension [UInt8] {
    /// Lends the bytes with a NUL after them.
    // SAFETY: the copy lives as long as the call. Its bytes are valid for either signedness of C's char.
    func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
        var terminated = self
        terminated.append(0)
        terminated.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { body(start.assumingMemoryBound(to: CChar.self)) }
        }
    }
}
