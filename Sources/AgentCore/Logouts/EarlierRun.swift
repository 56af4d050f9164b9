/// What is known of the run of the agent before this one.
struct EarlierRun: Sendable {
    enum Deadlines: Sendable { case unread, beingRead, read }

    var deadlines = Deadlines.unread
    /// Sessions of it that still last are tracked, and a deadline of another one is of a session that is gone.
    var areSessionsKnown = false
}
