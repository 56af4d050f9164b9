import AgentSetup

/// Performs the steps of a plan, and undoes them.
struct SetupWork {
    let machine: SetupMachine
    let records: SetupRecords

    init(_ machine: SetupMachine) {
        self.machine = machine
        records = SetupRecords(machine: machine)
    }

    func perform(_ step: SetupStep, _ facts: SetupFacts) throws(SetupFailure) {
        try records.begin(step, note: note(of: step, facts))
        switch step {
        case .agent: try check(machine.systemctl(["enable", "--now"] + SetupStep.units))
        case .bluetoothSwitch: try setSwitches(facts.blockedSwitches, to: "0")
        case .site, .bluetoothd, .console:
            guard let file = step.file, let text = step.text(facts) else { return }
            try machine.write(text, to: file)
            try takeUp(step)
        case .module:
            try check(machine.pamAuthUpdate(["--enable"] + SetupStep.profiles))
            let survey = SetupSurvey(machine: machine)
            guard SetupSurvey.stacks.allSatisfy(survey.hasModuleLine) else { throw SetupFailure(Self.editedStacks) }
        }
        try records.end(step)
    }

    /// Undoes a step. Returns nil if everything is as before; otherwise names the remaining file and the reason.
    func takeBack(_ step: SetupStep) throws(SetupFailure) -> String? {
        let note = records.note(of: step) ?? ""
        var left: String?
        switch step {
        case .agent: try takeBackAgent(note)
        case .bluetoothSwitch: try setSwitches(Self.words(note), to: "1")
        case .site, .bluetoothd, .console: left = try takeAway(step, note)
        case .module:
            try check(machine.pamAuthUpdate(["--disable"] + SetupStep.profiles))
            let survey = SetupSurvey(machine: machine)
            guard !SetupSurvey.stacks.contains(where: survey.hasModuleLine) else {
                throw SetupFailure(Self.editedStacks)
            }
        }
        try records.remove(step)
        return left
    }

    private static let editedStacks = """
        the files common-* in /etc/pam.d were edited by hand, so pam-auth-update leaves them unchanged; \
        'pam-auth-update --force' overwrites them, and pam_boxagent(8) names the lines to change by hand
        """

    /// Returns the data for undoing a step: the text that it writes, or the state before it. The state that an earlier
    /// run recorded is kept.
    private func note(of step: SetupStep, _ facts: SetupFacts) -> String {
        let earlier = records.note(of: step)
        switch step {
        case .bluetoothSwitch:
            let names = Self.words(earlier ?? "")
            return (names + facts.blockedSwitches.filter { !names.contains($0) }).joined(separator: " ")
        case .site, .bluetoothd, .console: return step.text(facts) ?? ""
        case .agent:
            let wasOff = [facts.agent.isEnabled ? nil : "enabled", facts.agent.isActive ? nil : "started"]
            return earlier ?? wasOff.compactMap { $0 }.joined(separator: " ")
        case .module: return ""
        }
    }

    /// Turns off only what the step turned on.
    private func takeBackAgent(_ note: String) throws(SetupFailure) {
        let changes = Self.words(note)
        if changes.contains("enabled") { try check(machine.systemctl(["disable"] + SetupStep.units)) }
        if changes.contains("started") { try check(machine.systemctl(["stop"] + SetupStep.units)) }
    }

    private func takeAway(_ step: SetupStep, _ note: String) throws(SetupFailure) -> String? {
        guard let file = step.file else { return nil }
        if let text = machine.text(of: file) {
            guard text == note else { return "\(file) was changed since, so it stays" }
            try machine.remove(file)
        }
        // Also needed if the file is already gone, because an earlier attempt may have stopped here.
        try takeUp(step)
        return nil
    }

    /// Makes systemd and the unit apply the current drop-ins.
    private func takeUp(_ step: SetupStep) throws(SetupFailure) {
        try check(machine.systemctl(["daemon-reload"]))
        switch step {
        // The agent continues its work: sessions, locks and deadlines survive its restart.
        case .site: try check(machine.systemctl(["try-restart", "boxagentd.service"]))
        // Does not start a stopped bluetoothd, because systemd keeps it stopped without an adapter.
        case .bluetoothd: try check(machine.systemctl(["try-restart", "bluetooth.service"]))
        case .console where consoleIsFree: try check(machine.systemctl(["try-restart", "getty@tty1.service"]))
        default: break
        }
    }

    /// True if the first console is free: its unit runs agetty or our greeter. Otherwise the change applies at the next
    /// prompt.
    private var consoleIsFree: Bool {
        let process = machine.systemctl(["show", "getty@tty1.service", "--property=MainPID", "--value"]).output
        guard let number = Int(process.prefix { $0.isNumber }), number > 0 else { return true }
        let name = (machine.text(of: "/proc/\(number)/comm") ?? "").prefix { $0 != "\n" }
        return name == "agetty" || name == "(agetty)" || name == "boxlogin"
    }

    /// Sets the switches of present adapters; a removed adapter no longer has a switch.
    private func setSwitches(_ names: [String], to value: String) throws(SetupFailure) {
        for (name, directory) in SetupSurvey(machine: machine).switches where names.contains(name) {
            guard machine.set(directory + "/soft", to: value) else {
                throw SetupFailure("\(directory)/soft cannot be written")
            }
        }
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private func check(_ result: SetupMachine.Result) throws(SetupFailure) {
        guard !result.succeeded else { return }
        let said = result.output.split(separator: "\n").last.map(String.init) ?? ""
        throw SetupFailure(said.isEmpty ? "it ended with an error and no message" : said)
    }
}
