/// What locks a session.
protocol Locker: Sendable {
    func isLocked() async -> Bool
    /// Whether it has the session in its hands: it has when it is locked, and may have when something has come that it cannot
    /// keep away.
    func isHolding() async -> Bool
    /// Why the session is not locked now; nil: it is.
    func lock() async -> String?
    func unlock() async
    /// Shows a person in the session something; empty takes back what was shown.
    func show(_ notice: String) async
    /// Gives everything back.
    func end() async
}
