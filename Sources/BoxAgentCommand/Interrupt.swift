import Glibc

/// Receives Ctrl-C, a closed terminal and SIGTERM as events, so that the current step is finished first.
struct Interrupt {
    private var signals = sigset_t()

    private static let kinds = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks these signals, so that they no longer end the program. Signals ignored at the start (nohup(1)) stay
    /// ignored.
    init() {
        // SAFETY: each call reads or writes the one set, which outlives it.
        sigemptyset(&signals)
        for signal in Self.kinds where !Self.isIgnored(signal) { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        // SAFETY: sigaction(2) writes the one record. The handler is only compared with SIG_IGN, address 1.
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// If a signal has arrived, calls `lastWords` and ends the program by that signal, so that the parent process sees
    /// the signal.
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

    /// Unblocks the signals, so that they end the program again. A pending signal does so at once.
    func release() {
        var set = signals
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits at most `limit` for a signal, and returns whether one arrived.
    func comes(within limit: Duration) -> Bool {
        let parts = limit.components
        var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        var set = signals
        // SAFETY: both records outlive the call; a null pointer for the signal's details is allowed (sigtimedwait(2)).
        return sigtimedwait(&set, nil, &time) > 0
    }
}
