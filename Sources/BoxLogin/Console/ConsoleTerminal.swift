import CBoxLogin

/// The terminal of the user: standard input and output.
///
/// After `takeOver`, every key arrives at once and is not echoed. `giveBack` restores the old state. No operation
/// blocks on a stopped terminal or a stalled serial line, so that the greeter keeps following the agent.
struct ConsoleTerminal: ~Copyable {
    /// The time limit for output other than screens, such as a question.
    static let showLimit: Duration = .milliseconds(200)

    enum Byte: Equatable {
        case byte(UInt8)
        case nothing
        case gone
    }

    let name: String
    private let found: termios
    private var isOurs = false
    /// The open flags that standard input and output had before `takeOver`.
    private var flags: [(descriptor: Int32, flags: Int32)] = []

    /// Returns nil if standard input is not a terminal.
    init?() {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return nil }
        found = settings
        name = Self.name()
    }

    /// Turns off line editing, echo, signals from keys and Control-S, because any key means that a user wants to type.
    mutating func takeOver() {
        var settings = found
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON)
        // SAFETY: c_cc is an array of NCCS bytes, and both indices are below that (termios(3)).
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        // Uses TCSANOW, since TCSADRAIN waits for output.
        isOurs = tcsetattr(0, TCSANOW, &settings) == 0
        for descriptor: Int32 in [0, 1] {
            let before = cboxlogin_flags(descriptor)
            guard before >= 0, cboxlogin_set_flags(descriptor, before | O_NONBLOCK) == 0 else { continue }
            flags.append((descriptor, before))
        }
    }

    /// Clears the screen and restores the old state. Typed characters stay for the next reader.
    mutating func giveBack() {
        show(Array("\u{1b}[0m\u{1b}[H\u{1b}[2J".utf8))
        for (descriptor, before) in flags.reversed() { _ = cboxlogin_set_flags(descriptor, before) }
        flags = []
        guard isOurs else { return }
        var settings = found
        _ = tcsetattr(0, TCSANOW, &settings)
        isOurs = false
    }

    /// Restarts a stopped terminal. TCOOFF and TCOON also undo Scroll Lock, which works without IXON
    /// (console_codes(4)).
    borrowing func resume() {
        _ = tcflow(1, TCOOFF)
        _ = tcflow(1, TCOON)
    }

    /// Returns columns and rows, or zeros if the terminal does not know its size.
    borrowing func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard cboxlogin_size(1, &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes as much as the terminal accepts at once. Returns the number of bytes.
    borrowing func write(_ bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            // SAFETY: pointer and length describe `rest`, which outlives the call.
            let written = rest.withUnsafeBytes { cboxlogin_write(1, $0.baseAddress, $0.count) }
            guard written > 0 || cboxlogin_errno() == EINTR else { break }
            rest = rest.dropFirst(max(0, written))
        }
        return bytes.count - rest.count
    }

    /// Writes all bytes, or as many as the terminal accepts within `showLimit`.
    borrowing func show(_ bytes: [UInt8]) {
        resume()
        var rest = bytes[...]
        let limit = MonotonicClock.now() + Self.showLimit
        while true {
            rest = rest.dropFirst(write(rest))
            guard !rest.isEmpty, MonotonicClock.now() < limit else { return }
            var entry = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
            poll(&entry, 1, MonotonicClock.milliseconds(until: limit))
        }
    }

    /// Reads a key: a character or a function key's sequence. Returns an empty array without a key, nil without a
    /// terminal.
    borrowing func readKey() -> [UInt8]? {
        switch readByte() {
        case .gone: return nil
        case .nothing: return []
        // Control-Q and Control-S do not count as keys, because serial terminals send them by themselves.
        case .byte(0x11), .byte(0x13): return []
        case .byte(let first):
            var key = [first]
            // The rest of a key's bytes has already arrived. The limits keep pasted text from becoming one key.
            let limit = first == 0x1B ? 16 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
            while key.count < limit, isReadable(), case .byte(let next) = readByte() { key.append(next) }
            return key
        }
    }

    borrowing func readByte() -> Byte {
        var byte: UInt8 = 0
        while true {
            let count = read(0, &byte, 1)
            if count == 1 { return .byte(byte) }
            guard count < 0 else { return .gone }
            switch cboxlogin_errno() {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .gone
            }
        }
    }

    private borrowing func isReadable() -> Bool {
        var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLIN) != 0
    }

    /// Returns the terminal's name without /dev/, such as tty1 or pts/3.
    private static func name() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard ttyname_r(0, &buffer, buffer.count - 1) == 0 else { return "unknown" }
        let path = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.hasPrefix("/dev/") ? String(path.dropFirst(5)) : path
    }
}
