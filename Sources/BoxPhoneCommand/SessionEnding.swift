import PhoneMessages

/// Why a watched session ended, as far as the box has told: by its warnings, and by what was tapped here.
///
/// Pure. A box does not say why a session ended that it has not warned of: people log out at the box, administrators end
/// sessions, machines stop.
struct SessionEnding: Sendable {
    /// So far from the announced moment a warning is taken back because the end has begun: the box counts whole seconds.
    static let tolerance: Duration = .seconds(3)
    /// How long programs may take to end, from the announced moment or the tap on.
    static let endingLimit: Duration = .seconds(120)

    private var announced: (cause: LogoutWarning.Cause, at: Duration)?
    private var loggedOutAt: Duration?

    /// The box has warned, or takes its warning back.
    mutating func warned(_ warning: LogoutWarning?, at now: Duration) {
        if let warning {
            announced = (warning.cause, now + .seconds(Int64(warning.seconds)))
        } else if !isDue(at: now) {
            announced = nil
        }
    }

    /// The tap that puts the end off has been answered.
    mutating func extended() {
        announced = nil
    }

    /// The tap that ends the session has been answered.
    mutating func loggedOut(at now: Duration) {
        loggedOutAt = now
    }

    /// Whether the announced moment is there, and its end under way.
    func isDue(at now: Duration) -> Bool {
        guard let announced else { return false }
        return now >= announced.at - Self.tolerance && now - announced.at < Self.endingLimit
    }

    /// The session is over: why, as the rest of a sentence; nil where the box has not said.
    mutating func ended(at now: Duration) -> String? {
        defer { (announced, loggedOutAt) = (nil, nil) }
        if let loggedOutAt, now - loggedOutAt < Self.endingLimit { return "because you logged out from this phone" }
        return isDue(at: now) ? announced?.cause.sentence : nil
    }
}
