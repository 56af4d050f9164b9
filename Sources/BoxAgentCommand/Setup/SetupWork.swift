import AgentSetup

/// Does the steps of a plan, and takes them back.
struct SetupWork {
    let machine: SetupMachine
    let records: SetupRecords

    init(_ machine: SetupMachine) {
        self.machine = machine
        records = SetupRecords(machine: machine)
    }

    func perform(_ step: SetupStep, _ facts: SetupFacts) throws(SetupFailure) {
        try records.add(step, note: note(of: step, facts))
        switch step {
        case .agent: try check(machine.run(Self.systemctl, ["enable", "--now"] + SetupStep.units))
        case .bluetoothSwitch: try setSwitches(facts.blockedSwitches, to: "0")
        case .bluetoothd, .console:
            guard let file = step.file, let text = step.text(facts) else { return }
            try machine.write(text, to: file)
            try check(machine.systemctl("daemon-reload"))
            try check(restart(step))
        case .module:
            try check(machine.pamAuthUpdate(["--enable"] + SetupStep.profiles))
            guard SetupSurvey(machine: machine).hasModuleLine else {
                throw SetupFailure(Self.editedStacks)
            }
        }
    }

    /// Nil when everything is as before the step; otherwise what was left, and why.
    func takeBack(_ step: SetupStep) throws(SetupFailure) -> String? {
        let note = records.note(of: step)
        var left: String?
        switch step {
        case .agent:
            try check(machine.run(Self.systemctl, ["disable", "--now"] + SetupStep.units.reversed()))
        case .bluetoothSwitch: try setSwitches(note.split(separator: " ").compactMap { Int($0) }, to: "1")
        case .bluetoothd, .console: left = try takeAway(step, note)
        case .module: try check(machine.pamAuthUpdate(["--disable"] + SetupStep.profiles))
        }
        try records.remove(step)
        return left
    }

    private static let editedStacks = """
        the files common-* in /etc/pam.d were edited by hand, and pam-auth-update leaves them alone; \
        'pam-auth-update --force' overwrites them, pam_boxagent(8) names the lines to put in by hand
        """
    private static let systemctl = ["/usr/bin/systemctl", "/bin/systemctl"]

    private func note(of step: SetupStep, _ facts: SetupFacts) -> String {
        switch step {
        case .bluetoothSwitch: facts.blockedSwitches.map(String.init).joined(separator: " ")
        case .bluetoothd, .console: step.text(facts) ?? ""
        case .agent, .module: ""
        }
    }

    private func takeAway(_ step: SetupStep, _ note: String) throws(SetupFailure) -> String? {
        guard let file = step.file, let text = machine.text(of: file) else { return nil }
        guard text == note else { return "\(file) was changed since, and stays" }
        try machine.remove(file)
        try check(machine.systemctl("daemon-reload"))
        try check(restart(step))
        return nil
    }

    private func restart(_ step: SetupStep) -> SetupMachine.Result {
        switch step {
        // Not started where it does not run: without an adapter systemd leaves it alone.
        case .bluetoothd: return machine.systemctl("try-restart", "bluetooth.service")
        case .console where !consoleIsFree: return SetupMachine.Result(succeeded: true)
        default: return machine.systemctl("try-restart", "getty@tty1.service")
        }
    }

    /// Nobody is logged in on the first console: its unit runs agetty or our greeter. Otherwise the next login prompt is the
    /// new one.
    private var consoleIsFree: Bool {
        let process = machine.systemctl("show", "getty@tty1.service", "--property=MainPID", "--value").output
        guard let number = Int(process.prefix { $0.isNumber }), number > 0 else { return true }
        let name = (machine.text(of: "/proc/\(number)/comm") ?? "").prefix { $0 != "\n" }
        return name == "agetty" || name == "(agetty)" || name == "boxlogin"
    }

    private func setSwitches(_ numbers: [Int], to value: String) throws(SetupFailure) {
        for number in numbers {
            let path = "/sys/class/rfkill/rfkill\(number)/soft"
            // An adapter that was pulled meanwhile has no switch any more.
            guard !machine.exists(path) || machine.set(path, to: value) else {
                throw SetupFailure("\(path) cannot be written")
            }
        }
    }

    private func check(_ result: SetupMachine.Result) throws(SetupFailure) {
        guard !result.succeeded else { return }
        let said = result.output.split(separator: "\n").last.map(String.init) ?? ""
        throw SetupFailure(said.isEmpty ? "it ended with an error, and said nothing" : said)
    }
}
