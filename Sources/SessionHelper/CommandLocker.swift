import EventLoop
import Glibc

/// Locks a desktop with a locker program, which runs as long as the screen is locked.
actor CommandLocker: Locker {
    /// The longest time that a screen may be locked.
    static let longestLock: Duration = .seconds(30 * 86_400)
    /// If a locker is killed, a compositor with ext-session-lock-v1 keeps the screen locked. This signal makes Wayland
    /// lockers unlock (swaylock(1), "SIGNALS"), and terminates others.
    static let endSignal = SIGUSR1
    static let notifier = "/usr/bin/notify-send"
    /// Time after which a locker counts as started. One that cannot lock, for example without a display, exits before.
    static let settlingTime: Duration = .milliseconds(300)

    nonisolated let loop: EpollLoop
    private let words: [String]
    private let unlocked: @Sendable () async -> Void
    private var running: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter unlocked: Called when the program has ended by itself, because the user typed the password.
    init(loop: EpollLoop, words: [String], unlocked: @escaping @Sendable () async -> Void) {
        self.loop = loop
        self.words = words
        self.unlocked = unlocked
    }

    func isLocked() async -> Bool { running != nil }
    func isHolding() async -> Bool { running != nil }

    func lock() async -> String? {
        guard running == nil else { return nil }
        guard access(words[0], X_OK) == 0 else { return "\(words[0]) cannot be started" }
        let command = ChildCommand(
            words[0], Array(words.dropFirst()), environment: Self.environment, timeLimit: Self.longestLock,
            endSignal: Self.endSignal)
        let task = loop.spawn { await self.run(command) }
        running = task
        _ = await loop.waitForAny(of: [task], until: loop.now() + Self.settlingTime)
        return running != nil ? nil : "\(words[0]) ended at once"
    }

    func unlock() async {
        running?.cancel()
        await running?.value
        running = nil
    }

    func show(_ notice: String) async {
        guard !notice.isEmpty, access(Self.notifier, X_OK) == 0 else { return }
        let command = ChildCommand(
            Self.notifier, ["--urgency=critical", "boxagent", notice], environment: Self.environment)
        _ = try? await ChildProcess.run(command, on: loop)
    }

    func end() async { await unlock() }

    private func run(_ command: ChildCommand) async {
        let result = try? await ChildProcess.run(command, on: loop)
        guard !Task.isCancelled, result?.ending != .cancelled else { return }
        running = nil
        await unlocked()
    }

    /// The session's environment, because a locker needs its display.
    private static var environment: [String: String] {
        var found: [String: String] = [:]
        // SAFETY: environ ends with a null pointer, and this program does not change it.
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { found[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return found
    }
}
