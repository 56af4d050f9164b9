/// What locks a session.
protocol Locker: Sendable {
    func isLocked() async -> Bool
    /// Whether the session is locked now.
    func lock() async -> Bool
    func unlock() async
    /// Shows a person in the session something; empty takes back what was shown.
    func show(_ notice: String) async
    /// Gives everything back.
    func end() async
}
