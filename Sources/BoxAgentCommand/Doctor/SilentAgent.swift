import ControlProtocol

/// Finds why an agent does not answer and which files it would refuse, with a cure for each.
///
/// Pure: makes findings from facts.
enum SilentAgent {
    /// After repeated failures, systemd starts a unit only after a reset (systemd.unit(5), StartLimitBurst=).
    static let startAgain = "systemctl reset-failed boxagentd; systemctl restart boxagentd"

    /// Returns at least one fault.
    static func findings(_ facts: AgentFacts) -> [Finding] { configuration(facts) + [agent(facts)] }

    /// Returns a finding for each problem in the files, even if the agent still runs with an earlier configuration.
    static func configuration(_ facts: AgentFacts) -> [Finding] {
        (facts.refusals ?? []).map { line in
            let (what, cure) = halves(line)
            return fault("configuration", what, cure.isEmpty ? "see boxagent.toml(5)" : cure)
        }
    }

    private static func agent(_ facts: AgentFacts) -> Finding {
        guard facts.hasSystemd else {
            return fault("agent", "boxagentd does not answer", "start it as boxagentd(8) describes")
        }
        switch facts.loadState {
        case "not-found":
            return fault("agent", "boxagentd.service is not installed", "run: apt install boxagent")
        case "masked":
            return fault(
                "agent", "boxagentd.service is masked, so it cannot start",
                "run: systemctl unmask boxagentd; \(startAgain)")
        default: break
        }
        if facts.refusals?.isEmpty == false, facts.activeState != "active" {
            return fault(
                "agent", "boxagentd does not start: its configuration is refused",
                "correct what the 'configuration' findings report, then run: \(startAgain)")
        }
        switch (facts.activeState, facts.subState) {
        case ("active", _):
            return fault(
                "agent", "boxagentd runs but does not answer",
                "run: systemctl restart boxagentd-pam.socket boxagentd-control.socket boxagentd")
        case ("failed", _), (_, "auto-restart"): return failed(facts)
        case ("activating", _), ("deactivating", _), ("reloading", _):
            return fault(
                "agent", "boxagentd is starting or stopping and has not answered yet",
                "wait a moment; if it persists, see: journalctl -u boxagentd")
        default:
            return fault(
                "agent", "boxagentd is not running",
                facts.isEnabled
                    ? "run: systemctl start boxagentd"
                    : "run: systemctl enable boxagentd; systemctl start boxagentd")
        }
    }

    private static func failed(_ facts: AgentFacts) -> Finding {
        if let words = facts.lastWords {
            let (what, cure) = halves(words)
            let first = cure.isEmpty ? "see: journalctl -u boxagentd" : cure
            return fault("agent", "boxagentd does not start: \(what)", "\(first); then run: \(startAgain)")
        }
        let how =
            switch facts.ending {
            case .exited(let status): "it ended with status \(status)"
            case .killed(let signal): "signal \(signal) ended it"
            case nil: "systemd gives no reason"
            }
        let look = facts.refusals == nil ? "run this command as root" : "see: journalctl -u boxagentd"
        return fault("agent", "boxagentd does not start: \(how)", "\(look); then run: \(startAgain)")
    }

    /// Splits a sentence of the agent: the problem, a semicolon, the cure.
    private static func halves(_ line: String) -> (what: String, cure: String) {
        guard let (what, cure) = line.parts(around: "; ") else { return (line, "") }
        return (what, cure)
    }

    private static func fault(_ name: String, _ text: String, _ cure: String) -> Finding {
        Finding(level: .fault, name: name, text: text, cure: cure)
    }
}
