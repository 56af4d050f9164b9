import PhoneMessages

/// A session end that the box has announced with a warning. Pure.
///
/// The box withdraws its warning when the logout is put off, and also when the logout begins.
struct AnnouncedEnd: Sendable {
    /// A warning withdrawn this close to the announced time means that the logout begins. The box counts whole seconds.
    static let tolerance: Duration = .seconds(3)
    /// How long programs may take to end, from the announced moment.
    static let endingLimit: Duration = .seconds(120)

    private var announced: Duration?

    /// Notes a warning of the box; nil if the box withdraws its warning.
    mutating func warned(_ warning: LogoutWarning?, at now: Duration) {
        if let warning {
            announced = now + .seconds(Int64(warning.seconds))
        } else if !isDue(at: now) {
            announced = nil
        }
    }

    /// Forgets the warning: a tap has put the logout off, or the session is over.
    mutating func settled() {
        announced = nil
    }

    /// Returns whether the announced moment has come and the session is ending.
    func isDue(at now: Duration) -> Bool {
        guard let announced else { return false }
        return now >= announced - Self.tolerance && now - announced < Self.endingLimit
    }
}
