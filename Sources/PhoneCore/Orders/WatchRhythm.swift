/// How a watching phone comes back after a lost link: each pause twice the one before, up to a bound.
///
/// Pure.
struct WatchRhythm: Sendable {
    private let limits: PhoneLimits
    private var pause: Duration
    private var refusals = 0
    private var wasConnected = false

    init(limits: PhoneLimits) {
        self.limits = limits
        pause = limits.betweenAttempts
    }

    /// The box answered: the next loss begins with the shortest pause again.
    mutating func connected() {
        pause = limits.betweenAttempts
        refusals = 0
        wasConnected = true
    }

    /// How long to wait before the next try; nil: this failure does not go away by waiting.
    mutating func pause(after error: PhoneError) -> Duration? {
        switch error {
        case .boxNotFound, .unreachable, .linkLost, .noAnswer: break
        case .radio:
            // A bluetoothd that restarts takes the adapter away for a while. A phone that has none from the start says so.
            guard wasConnected else { return nil }
        case .notAccepted:
            // `connect` has tried more than once already; a box that restarts may refuse for a moment.
            refusals += 1
            guard refusals < limits.handshakeAttempts else { return nil }
        default: return nil
        }
        defer { pause = min(pause + pause, limits.longestPause) }
        return pause
    }
}
