/// What can be known of the agent without asking it: by systemd, by its files, by its last words.
struct AgentFacts: Equatable, Sendable {
    /// How its process ended last (ExecMainCode= and ExecMainStatus= of systemctl(1)).
    enum Ending: Equatable, Sendable {
        case exited(Int)
        /// By a signal of that number, with or without a core.
        case killed(Int)
    }

    var hasSystemd = true
    /// LoadState=, such as "loaded", "masked", "not-found".
    var loadState = "loaded"
    /// ActiveState=, such as "active", "activating", "inactive", "failed".
    var activeState = "active"
    /// SubState=; "auto-restart" is the pause after a failure.
    var subState = "running"
    var isEnabled = true
    /// Nil: it has not run since systemd knows it, or still does.
    var ending: Ending?
    /// What `boxagentd --check-config` says as the agent's user, `FILE[:LINE]: what; cure` each. Empty: nothing is
    /// wrong. Nil: nobody looked, since only root can look as another user.
    var refusals: [String]?
    /// The last error that this run of it wrote to the journal, `what; cure`.
    var lastWords: String?

    /// It has failed, or cannot be started at all: whoever waits for an answer waits for nothing.
    var isBeyondWaiting: Bool {
        guard hasSystemd else { return false }
        return loadState == "masked" || activeState == "failed" || subState == "auto-restart"
    }
}
