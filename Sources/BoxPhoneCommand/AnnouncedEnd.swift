import PhoneMessages

/// The end of a session that the box has announced by a warning.
///
/// Pure. The box takes its warning back when the end is put off, and also when the end begins: only then it does not go on.
struct AnnouncedEnd: Sendable {
    /// So far from the announced moment a warning is taken back because the end has begun: the box counts whole seconds.
    static let tolerance: Duration = .seconds(3)
    /// How long programs may take to end, from the announced moment on.
    static let endingLimit: Duration = .seconds(120)

    private var announced: Duration?

    /// The box has warned, or takes its warning back.
    mutating func warned(_ warning: LogoutWarning?, at now: Duration) {
        if let warning {
            announced = now + .seconds(Int64(warning.seconds))
        } else if !isDue(at: now) {
            announced = nil
        }
    }

    /// The tap that puts the end off has been answered, or the session is over.
    mutating func settled() {
        announced = nil
    }

    /// Whether the announced moment is there, and its end under way.
    func isDue(at now: Duration) -> Bool {
        guard let announced else { return false }
        return now >= announced - Self.tolerance && now - announced < Self.endingLimit
    }
}
