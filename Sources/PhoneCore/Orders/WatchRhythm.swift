/// Times the reconnects of a watching phone after a lost link. Each pause doubles, up to a bound. Pure.
struct WatchRhythm: Sendable {
    private let limits: PhoneLimits
    private var pause: Duration
    private var refusals = 0
    private var wasConnected = false

    init(limits: PhoneLimits) {
        self.limits = limits
        pause = limits.betweenAttempts
    }

    /// Call this when the box has answered. The next loss begins with the shortest pause again.
    mutating func connected() {
        pause = limits.betweenAttempts
        refusals = 0
        wasConnected = true
    }

    /// Returns the pause before the next try, or nil if waiting does not help.
    mutating func pause(after error: PhoneError) -> Duration? {
        switch error {
        case .boxNotFound, .unreachable, .linkLost, .noAnswer: break
        case .radio:
            // A restarting bluetoothd removes the adapter for a while. An adapter missing from the start is an error.
            guard wasConnected else { return nil }
        case .notAccepted:
            // `Connecting` has tried several times already. A restarting box may refuse for a moment.
            refusals += 1
            guard refusals < limits.handshakeAttempts else { return nil }
        default: return nil
        }
        defer { pause = min(pause + pause, limits.longestPause) }
        return pause
    }
}
