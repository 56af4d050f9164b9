import Glibc

/// Ctrl-C, a closed terminal and SIGTERM, as events that are waited for: what is being written is finished first.
struct Interrupt {
    private var signals = sigset_t()

    private static let kinds = [SIGINT, SIGTERM, SIGHUP]

    /// From here on these signals end nothing by themselves. What whoever started this program has it ignore (nohup(1)) stays
    /// ignored.
    init() {
        // SAFETY: each call reads or writes the one set, which outlives it.
        sigemptyset(&signals)
        for signal in Self.kinds where !Self.isIgnored(signal) { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        // SAFETY: sigaction(2) writes the one record. The handler is compared with SIG_IGN, the address 1, and never called.
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Ends the program when one of them has come, by that signal, so that whoever started it sees by which; before that,
    /// `lastWords`.
    func takeEffect(_ lastWords: () -> Void) {
        var pending = sigset_t()
        // SAFETY: sigpending(2) writes the one set, which outlives the calls.
        sigpending(&pending)
        let kept = signals
        let hasCome = Self.kinds.contains { signal in
            var (pending, kept) = (pending, kept)
            return sigismember(&pending, signal) == 1 && sigismember(&kept, signal) == 1
        }
        guard hasCome else { return }
        lastWords()
        release()
    }

    /// From here on they end this program by themselves again, and one that waits does so at once.
    func release() {
        var set = signals
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits for one of them, not longer than `limit`; whether one came.
    func comes(within limit: Duration) -> Bool {
        let parts = limit.components
        var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        var set = signals
        // SAFETY: both records outlive the call; nobody asks what came with the signal (sigtimedwait(2)).
        return sigtimedwait(&set, nil, &time) > 0
    }
}
