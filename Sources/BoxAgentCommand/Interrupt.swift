import Glibc

/// Ctrl-C, a closed terminal and SIGTERM, as events that are waited for: what is being written is finished first.
struct Interrupt {
    private var signals = sigset_t()

    /// From here on these signals end nothing by themselves.
    init() {
        // SAFETY: each call reads or writes the one set, which outlives it.
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
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
