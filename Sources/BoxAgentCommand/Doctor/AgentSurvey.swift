import Glibc

/// Examines the agent from outside: its unit, its files as its user reads them, and its journal lines. Changes nothing.
struct AgentSurvey {
    static let unit = "boxagentd.service"
    private static let limit: Duration = .seconds(20)
    /// First line of --check-config's output; the problems follow, one per line.
    private static let refused = "boxagentd: the configuration is refused"

    let machine: SetupMachine

    /// Returns all facts.
    func facts() -> AgentFacts {
        var (facts, more) = unit()
        facts.refusals = refusals(as: more.user)
        facts.lastWords = lastWords(of: more.invocation)
        return facts
    }

    /// Returns the facts about an agent that answers: only its configuration files may have problems.
    func factsOfRunning() -> AgentFacts {
        var facts = AgentFacts()
        guard geteuid() == 0, machine.exists("/run/systemd/system") else { return facts }
        facts.refusals = refusals(as: machine.properties(of: Self.unit, ["User"])["User"] ?? "")
        return facts
    }

    /// Returns systemd's facts, and the agent's user and the ID of its last run.
    func unit() -> (facts: AgentFacts, more: (user: String, invocation: String)) {
        var facts = AgentFacts()
        facts.hasSystemd = machine.exists("/run/systemd/system")
        guard facts.hasSystemd else { return (facts, ("", "")) }
        let values = machine.properties(
            of: Self.unit,
            [
                "LoadState", "ActiveState", "SubState", "UnitFileState", "ExecMainCode", "ExecMainStatus", "User",
                "InvocationID",
            ])
        facts.loadState = values["LoadState"] ?? ""
        facts.activeState = values["ActiveState"] ?? ""
        facts.subState = values["SubState"] ?? ""
        facts.isEnabled = values["UnitFileState"] == "enabled"
        // CLD_EXITED, CLD_KILLED and CLD_DUMPED of sigaction(2); 0 means that no process has ended.
        let status = Int(values["ExecMainStatus"] ?? "") ?? 0
        switch values["ExecMainCode"] {
        case "1": facts.ending = .exited(status)
        case "2", "3": facts.ending = .killed(status)
        default: break
        }
        return (facts, (values["User"] ?? "", values["InvocationID"] ?? ""))
    }

    /// Checks the configuration as the agent's user. Root could read more files, and would not trust files of that
    /// user.
    private func refusals(as user: String) -> [String]? {
        guard geteuid() == 0, !user.isEmpty else { return nil }
        let said = machine.run(
            ["/usr/bin/setpriv"],
            [
                "--reuid=\(user)", "--regid=\(user)", "--init-groups", "--no-new-privs", "/usr/sbin/boxagentd",
                "--check-config",
            ], limit: Self.limit)
        let lines = said.output.split(separator: "\n").map(String.init)
        guard lines.first == Self.refused else { return said.succeeded ? [] : nil }
        return Array(lines.dropFirst())
    }

    private func lastWords(of invocation: String) -> String? {
        guard geteuid() == 0, !invocation.isEmpty else { return nil }
        let said = machine.run(
            ["/usr/bin/journalctl", "/bin/journalctl"],
            [
                "--quiet", "--no-pager", "--output=cat", "--lines=1", "--priority=err", "_SYSTEMD_UNIT=\(Self.unit)",
                "_SYSTEMD_INVOCATION_ID=\(invocation)",
            ], limit: Self.limit)
        guard said.succeeded else { return nil }
        return said.output.split(separator: "\n").last.map(String.init)
    }
}
