/// The pause before the next attempt to reach a server: 0.1 s at first, doubled after each failure, at most 5 s.
struct ReconnectPause {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(5)

    private var pause = Duration.zero
    private var until: Duration?
    private var reason = ""

    /// Returns the last failure while the pause lasts, or nil if an attempt is allowed.
    func refusal(at now: Duration) -> String? {
        guard let until, now < until else { return nil }
        return reason
    }

    /// Notes a failure and lengthens the pause, unless the attempt began before the current pause ended.
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
