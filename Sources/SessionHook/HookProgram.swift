import CSessionHook
import PAMLogicEmbedded

/// The configured program while it runs.
struct HookProgram {
    private let path: [UInt8]
    private let seconds: UInt64
    private var process: Int32 = -1
    /// The pipe with the program's output, if no journal takes it directly.
    private var output: Int32 = -1

    /// The pause between SIGTERM and SIGKILL.
    private static let graceMilliseconds: Int64 = 2_000
    private static let lineBytes = 1_024

    init(path: [UInt8], seconds: UInt64) {
        self.path = path
        self.seconds = seconds
    }

    /// Starts the program and takes over `input`. Returns Linux's description of the error, or nil on success.
    mutating func launch(environment: [[UInt8]], input: Int32, _ log: HookLog) -> [UInt8]? {
        var out: Int32 = -1
        var error: Int32 = -1
        if let first = log.stream(priority: HookLog.information), let second = log.stream(priority: HookLog.warning) {
            (out, error) = (first, second)
        } else {
            var ends: [Int32] = [-1, -1]
            // SAFETY: the array belongs to this call.
            _ = ends.withUnsafeMutableBufferPointer { chook_pipe($0.baseAddress) }
            output = ends[0]
            out = ends[1]
            error = ends[1]
        }
        let problem = Self.spawn(&process, path, environment, input, out, error)
        _ = close(input)
        _ = close(out)
        if error != out { _ = close(error) }
        guard problem != 0 else { return nil }
        // SAFETY: the text is a constant of libc and is copied at once.
        guard let words = strerror(problem) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: words, count: strlen(words)))
    }

    /// Waits for the program's end, or ends it at the time limit. Passes the program's output to syslog until the
    /// output is closed.
    func watch(_ log: HookLog) {
        var lines = OutputLines()
        let began = Self.now()
        let watch = chook_watch(process)
        var deadline = began + Int64(seconds) * 1_000
        var signals = 0
        var isRunning = true
        while isRunning || output >= 0 && !lines.isEnded {
            var watched = [
                pollfd(fd: isRunning ? watch : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: lines.isEnded ? -1 : output, events: Int16(POLLIN), revents: 0),
            ]
            let left = isRunning ? max(0, min(deadline - Self.now(), 60_000)) : -1
            // SAFETY: the array outlives the call.
            _ = watched.withUnsafeMutableBufferPointer { poll($0.baseAddress, 2, Int32(truncatingIfNeeded: left)) }
            if watched[1].revents != 0 { lines.take(from: output, limit: Self.lineBytes, log) }
            guard isRunning else { continue }
            var value: Int32 = 0
            let end = chook_reap(process, &value)
            if end != 0 {
                isRunning = false
                report(end, value, isLate: signals > 0, log)
            } else if Self.now() >= deadline, signals < 2 {
                chook_signal_group(process, signals == 0 ? 0 : 1)
                signals += 1
                deadline = signals == 2 ? Int64.max : Self.now() + Self.graceMilliseconds
            }
        }
    }

    private func report(_ end: Int32, _ value: Int32, isLate: Bool, _ log: HookLog) {
        guard isLate || end != 1 || value != 0 else { return }
        var line = TextLine("the hook ")
        line.append(foreign: path)
        if isLate {
            line.append(" did not end within ")
            line.append(seconds)
            line.append(" seconds and was stopped; see hook_seconds= in pam_boxagent(8)")
        } else {
            line.append(end == 1 ? " ended with status " : " was ended by signal ")
            line.append(UInt64(truncatingIfNeeded: value))
        }
        log.say(line)
    }

    // SAFETY: the lists outlive the call.
    private static func spawn(
        _ process: inout Int32, _ path: [UInt8], _ environment: [[UInt8]], _ input: Int32, _ out: Int32, _ error: Int32
    ) -> Int32 {
        CStringList.with([path]) { arguments in
            CStringList.with(environment) { variables in
                chook_spawn(&process, arguments[0], arguments, variables, input, out, error)
            }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Passes a program's output to syslog line by line.
private struct OutputLines {
    private var line: [UInt8] = []
    private(set) var isEnded = false

    // SAFETY: at most the array's size is read into it.
    mutating func take(from descriptor: Int32, limit: Int, _ log: HookLog) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        isEnded = count <= 0
        for byte in bytes.prefix(max(0, count)) {
            if byte != 0x0A { line.append(byte) }
            if byte == 0x0A || line.count >= limit { flush(log) }
        }
        if isEnded { flush(log) }
    }

    private mutating func flush(_ log: HookLog) {
        if !line.isEmpty { log.datagram(line, priority: HookLog.information) }
        line.removeAll()
    }
}
