import EventLoop
import Glibc
import Secrets

/// Asks questions on the controlling terminal, without echo for secrets.
///
/// Reads /dev/tty through a separate descriptor and the event loop. So a cancelled task (Ctrl-C) returns at once, and
/// the terminal's settings are restored before the program ends.
actor Terminal {
    /// A line of a terminal in canonical mode has at most 4,095 bytes and a newline.
    private static let lineBytes = 4_096

    private let loop: EpollLoop
    private let ready: WaitPoint
    /// The open question without echo, and the terminal's earlier settings; nil without such a question.
    private var open: (descriptor: Int32, settings: termios, question: String)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop) {
        self.loop = loop
        ready = WaitPoint(on: loop)
    }

    /// True if there is a terminal for questions.
    nonisolated static var exists: Bool {
        let descriptor = Glibc.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// True if standard input is a terminal. A command in a pipe or a job must not ask.
    nonisolated static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads the typed line, without its newline and with echo off.
    func askSecret(_ question: String, otherwise: String) async throws(Complaint) -> HeldSecret {
        try await ask(question, echoes: false, otherwise: otherwise)
    }

    /// Reads a line that may be visible, such as a choice or a yes.
    func askChoice(_ question: String, otherwise: String) async throws(Complaint) -> String {
        let answer = try await ask(question, echoes: true, otherwise: otherwise)
        // The answer is a number or a word, not a secret.
        return answer.bytes.withBytes { bytes in
            let characters = (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            return String(decoding: characters, as: UTF8.self)
        }
    }

    private func ask(_ question: String, echoes: Bool, otherwise: String) async throws(Complaint) -> HeldSecret {
        // O_NONBLOCK belongs to this open file and not to the terminal, so the shell's descriptors do not change.
        let descriptor = Glibc.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Complaint(.usage, "cannot ask: there is no terminal; \(otherwise)")
        }
        defer { close(descriptor) }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            throw Complaint(.system, "the terminal does not tell its settings; \(otherwise)")
        }
        if !echoes {
            open = (descriptor, settings, question)
            Self.hush(descriptor, settings)
        }
        defer {
            if !echoes {
                open = nil
                tcsetattr(descriptor, TCSAFLUSH, &settings)
            }
        }
        Self.write(question, to: descriptor)
        return HeldSecret(try await line(from: descriptor))
    }

    /// Handles Ctrl-Z: restores the terminal's echo, stops the process, and repeats the question afterwards.
    func suspend() {
        if var open { tcsetattr(open.descriptor, TCSAFLUSH, &open.settings) }
        raise(SIGSTOP)
        if let open {
            Self.hush(open.descriptor, open.settings)
            Self.write("\n" + open.question, to: open.descriptor)
        }
    }

    private func line(from descriptor: Int32) async throws(Complaint) -> SecretBytes {
        let token: WatchToken
        let ready = ready
        do throws(SystemError) {
            token = try loop.watch(descriptor, for: .readable) { _ in ready.signal() }
        } catch {
            throw Complaint(.system, "the terminal cannot be read: \(error)")
        }
        defer { loop.unwatch(token) }
        var line = SecretBytes(count: Self.lineBytes)
        while true {
            let mark = ready.mark()
            let count = line.withMutableBytes { bytes in
                // SAFETY: `read` writes at most as many bytes as the buffer has.
                bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            }
            if count > 0 {
                line.keep(0..<(line.endsWithNewline(count) ? count - 1 : count))
                return line
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else {
                throw Complaint(.interrupted, "nothing was entered")
            }
            guard await ready.wait(since: mark) != .cancelled else { throw Complaint(.interrupted, "interrupted") }
        }
    }

    private static func hush(_ descriptor: Int32, _ settings: termios) {
        var quiet = settings
        // ECHONL still shows the line end, so that the next output starts on its own line.
        quiet.c_lflag = quiet.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ECHONL | ICANON | ISIG)
        tcsetattr(descriptor, TCSAFLUSH, &quiet)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        // An error is ignored: no user sits at a terminal that does not accept output.
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
