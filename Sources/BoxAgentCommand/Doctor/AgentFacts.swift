/// Facts about the agent from systemd, its configuration files and the journal. They need no answer from the agent.
struct AgentFacts: Equatable, Sendable {
    /// How the agent's process last ended (ExecMainCode= and ExecMainStatus= of systemctl(1)).
    enum Ending: Equatable, Sendable {
        case exited(Int)
        /// Ended by a signal of this number, with or without a core dump.
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
    /// Nil if systemd has not seen the agent end.
    var ending: Ending?
    /// The problems that `boxagentd --check-config` reports as the agent's user, each as `FILE[:LINE]: what; cure`.
    /// Empty if there are none; nil if they were not checked, because only root can check as another user.
    var refusals: [String]?
    /// The last error that this run wrote to the journal, as `what; cure`.
    var lastWords: String?

    /// True if the agent has failed or cannot start, so that waiting for an answer is useless.
    var isBeyondWaiting: Bool {
        guard hasSystemd else { return false }
        return loadState == "masked" || activeState == "failed" || subState == "auto-restart"
    }
}
