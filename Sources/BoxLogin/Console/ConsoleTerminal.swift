import Glibc

/// The terminal that a person stands at: standard input and output.
///
/// While it is ours every key comes at once and nothing is echoed; `giveBack` leaves it as it was found.
struct ConsoleTerminal: ~Copyable {
    let name: String
    private let found: termios
    private var isOurs = false

    /// Nil when standard input is no terminal.
    init?() {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return nil }
        found = settings
        name = Self.name()
    }

    /// Ends line editing and echo, and signals from keys: each key means that somebody wants to type.
    mutating func takeOver() {
        var settings = found
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        // SAFETY: c_cc is an array of NCCS bytes, and both indices are below that (termios(3)).
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        isOurs = tcsetattr(0, TCSADRAIN, &settings) == 0
    }

    /// As it was found, and cleared; what was typed stays for whoever reads next.
    mutating func giveBack() {
        write(Array("\u{1b}[0m\u{1b}[H\u{1b}[2J".utf8))
        guard isOurs else { return }
        var settings = found
        _ = tcsetattr(0, TCSADRAIN, &settings)
        isOurs = false
    }

    /// Columns and rows; zeros when the terminal does not know.
    borrowing func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    borrowing func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: pointer and length describe `rest`, which outlives the call.
            let written = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, written))
        }
    }

    /// Takes one key off the terminal: a character, or the sequence of a function key. Nil: the terminal is gone.
    borrowing func readKey() -> [UInt8]? {
        guard let first = readByte() else { return nil }
        var key = [first]
        // What follows the first byte of a key is already there; a sequence has a few bytes, pasted text has many.
        let limit = first == 0x1B ? 16 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        while key.count < limit, isReadable(), let next = readByte() { key.append(next) }
        return key
    }

    borrowing func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(0, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
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
