/// Locks and unlocks a session.
protocol Locker: Sendable {
    func isLocked() async -> Bool
    /// Returns whether the locker controls the session. If it cannot stop a new program, it keeps control although the
    /// session does not count as locked.
    func isHolding() async -> Bool
    /// Locks the session. Returns nil, or the reason why it is not locked.
    func lock() async -> String?
    func unlock() async
    /// Shows a message to the user of the session. An empty message removes the last one.
    func show(_ notice: String) async
    /// Ends the control and restores everything.
    func end() async
}
