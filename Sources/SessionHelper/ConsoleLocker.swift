import CSessionHelper
import EventLoop
import Glibc
import Secrets
import TextOutput

/// Locks a text console: stops its processes, and takes keyboard and screen. The phone, the password or the
/// administrator unlocks it.
///
/// It needs no privileges, because the user owns the terminal and its processes. If something cannot be stopped or
/// seen, it locks nothing, and the phone is told (`ConsoleVerdict`).
actor ConsoleLocker: Locker {
    /// The PAM service that checks a typed password.
    static let service = "boxagent-session"
    static let passwordBytes = 511
    /// A process that waits for a disk or a network stops late. The console is locked without waiting longer.
    static let stopLimit: Duration = .seconds(1)
    static let stopPause: Duration = .milliseconds(2)
    /// The most rounds of stopping. Each one finds children of stopped processes and newly started ones.
    static let looks = 64
    /// How often a locked console is checked, because root can put graphics or a program in the foreground.
    static let guardPause: Duration = .seconds(2)

    nonisolated let loop: EpollLoop
    private let terminal: String
    private let user: String
    /// Called after an unrequested change of the locked state.
    private let changed: @Sendable () async -> Void
    private var processes: ConsoleProcesses
    private var descriptor: Int32 = -1
    private var watch: WatchToken?
    private var watchman: Task<Void, Never>?
    /// The reason why the taken terminal does not count as locked.
    private var refusal: ConsoleVerdict.Refusal?
    private var typed = SecretBytes(count: passwordBytes + 1)
    private var count = 0
    private var isChecking = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - terminal: The device, such as "/dev/tty2".
    ///   - takesOver: True if a helper was killed while it had the console locked.
    init(
        loop: EpollLoop, terminal: String, user: String, takesOver: Bool, changed: @escaping @Sendable () async -> Void
    ) {
        self.loop = loop
        self.terminal = terminal
        self.user = user
        processes = ConsoleProcesses(path: terminal, user: getuid(), takesOver: takesOver)
        self.changed = changed
    }

    func isLocked() -> Bool { descriptor >= 0 && refusal == nil }
    func isHolding() -> Bool { descriptor >= 0 }

    func lock() async -> String? {
        guard descriptor < 0 else { return refusal?.text }
        // A console that an earlier helper locked stays locked, even if programs have started since.
        let holds = processes.takesOver
        refusal = await settle()
        // Checks again after taking the terminal, because a program may have started since the first check.
        if refusal == nil || holds, take() { refusal = await settle() }
        guard descriptor >= 0, refusal == nil || holds else {
            let reason = refusal?.text ?? "This console's terminal cannot be opened."
            if descriptor >= 0 { release() } else { processes.go() }
            show(reason)
            return reason
        }
        draw("")
        watchman = loop.spawn { await self.keepWatch() }
        return refusal?.text
    }

    private func take() -> Bool {
        descriptor = csession_take_terminal(terminal)
        guard descriptor >= 0 else { return false }
        do throws(SystemError) {
            watch = try loop.watch(descriptor, for: .readable) { [weak self] _ in
                // SAFETY: the loop calls on its own thread, which is this actor's executor.
                self?.assumeIsolated { $0.read() }
            }
        } catch {
            release()
            return false
        }
        clear()
        return true
    }

    /// Stops readers of the terminal until none is new, since a reader may start others before it stops.
    /// Returns the reason if that is not possible, or nil on success.
    private func settle() async -> ConsoleVerdict.Refusal? {
        for _ in 0..<Self.looks {
            switch processes.step(everywhere: true) {
            case .refused(let refusal): return refusal
            case .ready: return nil
            case .stop: break
            }
            let limit = loop.now() + Self.stopLimit
            while !processes.areStill, loop.now() < limit {
                guard (try? await loop.sleep(until: loop.now() + Self.stopPause)) != nil else { break }
            }
        }
        return .foreign
    }

    private func keepWatch() async {
        while (try? await loop.sleep(until: loop.now() + Self.guardPause)) != nil, descriptor >= 0 {
            let before = refusal
            switch processes.step(everywhere: false) {
            case .refused(let now): refusal = now
            case .ready: refusal = nil
            // The next round judges the stopped processes.
            case .stop: break
            }
            guard refusal != before else { continue }
            draw("")
            await changed()
        }
    }

    func unlock() {
        guard descriptor >= 0 else { return }
        csession_show(descriptor, "\u{1B}[2J\u{1B}[H")
        release()
    }

    func show(_ notice: String) {
        guard !notice.isEmpty else { return }
        if descriptor >= 0 { return draw(notice) }
        // Writes over the output of running programs, like wall(1).
        let other = open(terminal, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard other >= 0 else { return }
        csession_show(other, "\r\n\u{07}\(Printable.text(notice))\r\n")
        close(other)
    }

    func end() {
        unlock()
        processes.go()
    }

    private func release() {
        watchman?.cancel()
        watchman = nil
        if let watch { loop.unwatch(watch) }
        watch = nil
        clear()
        csession_return_terminal(descriptor)
        descriptor = -1
        refusal = nil
        processes.go()
    }

    private func draw(_ notice: String) {
        let state = refusal?.text ?? "This session of \(Printable.text(user)) is locked."
        let lines = [
            "", "  \(state)", "",
            "  Unlock it on the phone, or type the password and press Enter.", "",
            notice.isEmpty ? "" : "  " + Printable.text(notice), "",
        ]
        csession_show(descriptor, "\u{1B}[2J\u{1B}[H" + lines.joined(separator: "\r\n") + "\r\n  Password: ")
    }

    // MARK: - The password

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 64)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        while descriptor >= 0 {
            let got = csession_typed(descriptor, &bytes, bytes.count)
            guard got > 0 else { return }
            for byte in bytes.prefix(got) { take(byte) }
        }
    }

    private func take(_ byte: UInt8) {
        guard !isChecking else { return }
        switch byte {
        case 0x0A, 0x0D: check()
        case 0x7F, 0x08: if count > 0 { put(0, at: count - 1); count -= 1 }
        // Control-U and Control-C clear the line.
        case 0x15, 0x03: clear()
        case 0x00..<0x20: break
        default:
            guard count < Self.passwordBytes else { return }
            put(byte, at: count)
            count += 1
        }
    }

    private func put(_ byte: UInt8, at index: Int) {
        typed.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
    }

    private func clear() {
        typed = SecretBytes(count: Self.passwordBytes + 1)
        count = 0
    }

    private func check() {
        guard count > 0 else { return draw("") }
        isChecking = true
        let password = HeldSecret(typed.copy())
        clear()
        csession_show(descriptor, "\r\n  …")
        loop.spawn { await self.finish(password) }
    }

    private func finish(_ password: HeldSecret) async {
        let (user, terminal) = (user, terminal)
        let isRight = (try? await loop.offload { Self.isRight(password, user, terminal) }) ?? false
        isChecking = false
        guard descriptor >= 0 else { return }
        guard isRight else { return draw("The password is wrong.") }
        unlock()
        await changed()
    }

    private static func isRight(_ password: HeldSecret, _ user: String, _ terminal: String) -> Bool {
        password.bytes.withBytes { bytes in
            // SAFETY: the bytes end with a NUL, and stay in place during the call.
            bytes.withUnsafeBytes { raw in
                guard let text = raw.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
                return csession_check_password(service, user, terminal, text) == 0
            }
        }
    }
}
