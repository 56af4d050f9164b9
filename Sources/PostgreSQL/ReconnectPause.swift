/// When a server that could not be reached is tried again: after 0.1 s, then twice as long each time, at most 5 s.
struct ReconnectPause {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(5)

    private var pause = Duration.zero
    private var until: Duration?
    private var reason = ""

    /// Why nothing is tried now; nil when it may be.
    func refusal(at now: Duration) -> String? {
        guard let until, now < until else { return nil }
        return reason
    }

    /// A try that began before the last failure was known says nothing new about how long to wait.
    mutating func failed(begunAt begin: Duration, at now: Duration, _ why: String) {
        reason = why
        if let until, begin < until { return }
        pause = pause == .zero ? Self.first : min(pause * 2, Self.longest)
        until = now + pause
    }

    mutating func succeeded() {
        pause = .zero
        until = nil
    }
}
