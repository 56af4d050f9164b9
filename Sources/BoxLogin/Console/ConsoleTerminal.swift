import CBoxLogin

/// The terminal that a person stands at: standard input and output.
///
/// While it is ours every key comes at once and nothing is echoed; `giveBack` leaves it as it was found. Nothing here waits
/// for a terminal that takes no more: it may be stopped, or its line be held up, and the agent is followed all the same.
struct ConsoleTerminal: ~Copyable {
    /// For what is shown besides screens, such as a question.
    static let showLimit: Duration = .milliseconds(200)

    enum Byte: Equatable {
        case byte(UInt8)
        case nothing
        case gone
    }

    let name: String
    private let found: termios
    private var isOurs = false
    /// How standard input and output were open, while they are ours.
    private var flags: [(descriptor: Int32, flags: Int32)] = []

    /// Nil when standard input is no terminal.
    init?() {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return nil }
        found = settings
        name = Self.name()
    }

    /// Ends line editing and echo, signals from keys and stopping by Control-S: each key means that somebody wants to type.
    mutating func takeOver() {
        var settings = found
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON)
        // SAFETY: c_cc is an array of NCCS bytes, and both indices are below that (termios(3)).
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        // Not TCSADRAIN, which waits for output.
        isOurs = tcsetattr(0, TCSANOW, &settings) == 0
        for descriptor: Int32 in [0, 1] {
            let before = cboxlogin_flags(descriptor)
            guard before >= 0, cboxlogin_set_flags(descriptor, before | O_NONBLOCK) == 0 else { continue }
            flags.append((descriptor, before))
        }
    }

    /// As it was found, and cleared; what was typed stays for whoever reads next.
    mutating func giveBack() {
        show(Array("\u{1b}[0m\u{1b}[H\u{1b}[2J".utf8))
        for (descriptor, before) in flags.reversed() { _ = cboxlogin_set_flags(descriptor, before) }
        flags = []
        guard isOurs else { return }
        var settings = found
        _ = tcsetattr(0, TCSANOW, &settings)
        isOurs = false
    }

    /// Starts a terminal that Scroll Lock has stopped, which needs no IXON for it (console_codes(4)); off and on does it,
    /// whoever stopped it.
    borrowing func resume() {
        _ = tcflow(1, TCOOFF)
        _ = tcflow(1, TCOON)
    }

    /// Columns and rows; zeros when the terminal does not know.
    borrowing func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard cboxlogin_size(1, &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// What the terminal takes at once: how many bytes.
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

    /// All of it, or as much as the terminal takes within a moment.
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

    /// Takes one key off the terminal: a character, or the sequence of a function key; empty: it was none. Nil: the terminal
    /// is gone.
    borrowing func readKey() -> [UInt8]? {
        switch readByte() {
        case .gone: return nil
        case .nothing: return []
        // Control-Q and Control-S type nothing; terminals of serial lines send them by themselves.
        case .byte(0x11), .byte(0x13): return []
        case .byte(let first):
            var key = [first]
            // What follows the first byte of a key is already there; a sequence has a few bytes, pasted text has many.
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

    /// The terminal's name without /dev/, such as tty1 or pts/3.
    private static func name() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard ttyname_r(0, &buffer, buffer.count - 1) == 0 else { return "unknown" }
        let path = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.hasPrefix("/dev/") ? String(path.dropFirst(5)) : path
    }
}
