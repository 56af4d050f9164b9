import AgentClient
import CBoxLogin
import TextOutput
import Wire

/// One login through greetd. A user who tapped is not asked anything. Another user types name and password.
enum GreetdLogin {
    enum End: Equatable {
        case started
        /// Returns to the screen, with a message to show there.
        case refused(String?)
        case terminalGone
    }

    /// How long a question waits for a key before the screen comes back.
    static let typingMilliseconds: Int32 = 60_000
    /// The most PAM messages of one login. A login with more counts as endless.
    static let messageLimit = 32

    static func run(
        _ user: LoginUser?, _ command: [String], _ greetd: borrowing GreetdSocket, _ terminal: borrowing ConsoleTerminal
    ) throws(GreetdError) -> End {
        terminal.show(Array("\u{1b}[0m\u{1b}[H\u{1b}[2J".utf8))
        var name = user?.name
        if name == nil {
            var entry = LineEntry()
            switch TypedLine.read(&entry, "User name: ", isShown: true, terminal) {
            case .gone: return .terminalGone
            case .cancelled: return .refused(nil)
            case .line: break
            }
            name = entry.withBytes { $0.copy(0..<$0.byteCount) }
        }
        guard let name, !name.isEmpty else { return .refused(nil) }
        guard let safe = LoginUser(name), let text = String(validating: safe.name, as: UTF8.self) else {
            return .refused("'\(Printable.text(name))' is not a valid user name.")
        }
        var reply = try greetd.ask(.createSession(user: text))
        for _ in 0..<messageLimit {
            switch reply {
            case .success:
                return try start(command, greetd)
            case .error(let isRefusal, let words):
                return try give(up: greetd, isRefusal ? "Login incorrect." : "greetd: \(words)")
            case .message(let prompt, let words):
                switch try answer(prompt, words, greetd, terminal) {
                case .next(let next): reply = next
                case .cancelled: return try give(up: greetd, nil)
                case .gone: return .terminalGone
                }
            }
        }
        return try give(up: greetd, "PAM asked too many questions.")
    }

    private static func start(_ command: [String], _ greetd: borrowing GreetdSocket) throws(GreetdError) -> End {
        switch try greetd.ask(.startSession(command: command)) {
        case .success: return .started
        case .error(_, let words): return try give(up: greetd, "The session did not start: \(words)")
        case .message: throw .malformed
        }
    }

    /// Cancels a failed session, because greetd creates the next session only after that. If no session is left,
    /// greetd's error is ignored.
    private static func give(up greetd: borrowing GreetdSocket, _ text: String?) throws(GreetdError) -> End {
        _ = try greetd.ask(.cancelSession)
        return .refused(text)
    }

    private enum Answer {
        case next(GreetdReply)
        case cancelled
        case gone
    }

    private static func answer(
        _ prompt: GreetdReply.Prompt, _ words: String, _ greetd: borrowing GreetdSocket,
        _ terminal: borrowing ConsoleTerminal
    ) throws(GreetdError) -> Answer {
        let text = Printable.text(words)
        guard prompt == .visible || prompt == .secret else {
            terminal.show(Array((text + "\r\n").utf8))
            return .next(try greetd.ask(.acknowledge))
        }
        var entry = LineEntry()
        switch TypedLine.read(&entry, text.hasSuffix(" ") ? text : text + " ", isShown: prompt == .visible, terminal) {
        case .gone: return .gone
        case .cancelled: return .cancelled
        case .line: break
        }
        var message = WipedBuffer(count: GreetdResponse.limitBytes)
        let count = message.withMutableBytes { output in
            entry.withBytes { GreetdResponse.encode($0, into: &output) }
        }
        guard let count else {
            terminal.show(Array("This is not UTF-8, which greetd needs. Try again.\r\n".utf8))
            return .cancelled
        }
        return .next(try message.withBytes(first: count) { json throws(GreetdError) in try greetd.ask(json) })
    }
}

/// Reads a line from a terminal without echo and line editing.
enum TypedLine {
    enum End: Equatable {
        case line
        /// A key cancelled the line, or no key came within the time limit.
        case cancelled
        case gone
    }

    static func read(
        _ entry: inout LineEntry, _ prompt: String, isShown: Bool, _ terminal: borrowing ConsoleTerminal
    ) -> End {
        terminal.show(Array(prompt.utf8))
        while true {
            var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            let count = poll(&ready, 1, GreetdLogin.typingMilliseconds)
            if count < 0 && cboxlogin_errno() == EINTR { continue }
            guard count > 0 else { return .cancelled }
            let typed: UInt8
            switch terminal.readByte() {
            case .gone: return .gone
            case .nothing: continue
            case .byte(let byte): typed = byte
            }
            switch entry.handle(typed) {
            case .added(let byte):
                if isShown { terminal.show([byte]) }
            case .removed(let columns):
                if isShown { terminal.show(Array(String(repeating: "\u{8} \u{8}", count: columns).utf8)) }
            case .ignored: break
            case .done:
                terminal.show(Array("\r\n".utf8))
                return .line
            case .cancelled: return .cancelled
            }
        }
    }
}
