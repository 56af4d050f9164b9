/// Actors of the agent share its loop, so that one may say something to another without waiting for it.
extension Actor {
    /// Runs at once. Called on this actor's executor, and nowhere else: the runtime checks it.
    nonisolated func onSameLoop(_ body: (isolated Self) -> Void) {
        // SAFETY: the callers are the agent and what it runs, whose executor is the one loop.
        assumeIsolated(body)
    }
}
