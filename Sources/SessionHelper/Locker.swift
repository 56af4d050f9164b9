/// Locks and unlocks a session.
protocol Locker: Sendable {
    func isLocked() async -> Bool
    /// Returns whether it controls the session. It may do so although the session does not count as locked, if it
    /// cannot stop a new program.
    func isHolding() async -> Bool
    /// Locks the session. Returns nil, or the reason why it is not locked.
    func lock() async -> String?
    func unlock() async
    /// Shows a message to the user of the session. An empty one removes the last.
    func show(_ notice: String) async
    /// Ends the control and restores everything.
    func end() async
}
