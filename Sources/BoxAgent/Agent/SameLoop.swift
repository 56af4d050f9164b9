/// The agent's actors share one loop, so one can call another without waiting.
extension Actor {
    /// Runs `body` at once. Must be called on this actor's executor; the runtime checks that.
    nonisolated func onSameLoop(_ body: (isolated Self) -> Void) {
        // SAFETY: only the agent and its parts call this, and their executor is the one loop.
        assumeIsolated(body)
    }
}
