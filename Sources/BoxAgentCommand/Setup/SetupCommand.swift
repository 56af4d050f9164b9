import AgentSetup
import ArgumentParser
import CommandTool
import Glibc
import TextOutput

/// Sets up a machine, from an installed package to the first login.
struct SetupCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up this machine, from an installed package to the first login.",
        discussion: """
            Root only. The command examines the machine, shows what it will do, asks once, and does it. It starts the \
            agent, unblocks Bluetooth if rfkill(8) blocks it, and starts bluetoothd without the plugins that make \
            phones ask to pair. It adds the module to the common PAM stacks with pam-auth-update(8), and shows the box \
            ID on the first console with boxlogin(8). It reports units and stacks that were changed on this machine, \
            and leaves them unchanged. It also leaves the console unchanged if there is a display manager.
            Then it waits for the agent and its radio and prints what `boxagent doctor` finds. It enrols a phone for \
            the user that you type or give with --user, and waits for a tap as a test, without logging in.
            If the box's keys belong to another machine, as in a cloned image, boxagentd answers no phone. The command then \
            asks what this machine shall be: a new box, or the old one's replacement.
            You can interrupt the command at any time and run it again: it does the remaining steps. If nothing \
            remains, it prints `There is nothing to do on it.`, which scripts may look for. After Ctrl-C or SIGTERM it \
            finishes the current step and stops.
            Examples:
              boxagent setup
              boxagent setup --yes                     for scripts: enrols no phone
              boxagent setup --site-server 192.0.2.10  before boxagent join
              boxagent setup --yes --new-box           on each copy of an image in which the agent has run
              boxagent setup --undo                    reverts all steps
            """)

    @Flag(
        name: [.short, .long],
        help: "Ask nothing. With --user, enrol a phone without a comparison of the six digits; without it, enrol none.")
    var yes = false
    @Flag(
        help: """
            Revert the steps that /etc/boxagent/setup records. Files that were changed since then stay.
            """)
    var undo = false
    @Flag(
        name: .customLong("new-box"),
        help: """
            On a copy of another box, such as a cloned image: destroy the copied keys, phones, passwords and audit log, and \
            become a new box.
            """)
    var newBox = false
    @Flag(
        name: .customLong("replace-box"),
        help: """
            On a machine with the keys of another that is gone for good: take its place, with all phones. The old machine \
            must never run again.
            """)
    var replaceBox = false
    @Option(help: ArgumentHelp("Enrol the first phone for this user.", valueName: "user"))
    var user: String?
    @Option(
        name: .customLong("site-server"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Before `join`: let the agent reach this server of a site, at a numeric address, and nothing else on the \
            network. A drop-in of the agent's unit allows it and replaces the addresses that are allowed now. Up to 4 \
            times.
            """, valueName: "address"))
    var siteServers: [String] = []
    @OptionGroup var agent: AgentOptions

    /// Maximum number of servers that a box stores for its site (docs/reference/site-protocol.md, 15).
    private static let siteServerLimit = 4

    func validate() throws {
        guard !newBox || !replaceBox else { throw ValidationError("use either --new-box or --replace-box") }
        guard !undo || !newBox && !replaceBox else {
            throw ValidationError("--undo only reverts steps; leave out --new-box and --replace-box")
        }
        guard !undo || user == nil else { throw ValidationError("--undo enrols no phone; leave out --user") }
        guard !undo || siteServers.isEmpty else {
            throw ValidationError("--undo only reverts steps; leave out --site-server")
        }
        guard siteServers.count <= Self.siteServerLimit else { throw ValidationError("a site has at most 4 servers") }
        for server in siteServers where !Self.isAddress(server) {
            throw ValidationError(
                "\"\(Printable.text(server))\" is not a server's address; give a numeric one without a port, such as "
                    + "192.0.2.10 or 2001:db8::10"
            )
        }
    }

    /// Returns whether the text is an IPv4 or IPv6 address (inet_pton(3)), since it goes into a unit's file.
    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { family in inet_pton(family, text, &address) == 1 }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard geteuid() == 0 else {
            throw CommandFailure(.notPermitted, "only root may set up a machine", cure: "run the command as root")
        }
        // The programs started as root must not run in a directory of another user.
        guard chdir("/") == 0 else { throw CommandFailure(.fault, "cannot change to the root directory") }
        let lock: SetupLock?
        do {
            lock = try SetupLock()
        } catch {
            throw CommandFailure(.fault, error.text)
        }
        guard let lock else {
            throw CommandFailure(.tryAgain, "another 'boxagent setup' is running", cure: "wait until it ends")
        }
        try work(terminal)
        _ = consume lock
    }

    private func work(_ terminal: Terminal) throws(CommandFailure) {
        let machine = SetupMachine()
        if undo { return try takeBack(SetupWork(machine), terminal) }
        let facts = SetupSurvey(machine: machine).facts(siteServers: siteServers)
        let plan = SetupPlan(facts)
        show(facts, plan, terminal)
        guard facts.hasSystemd else { throw CommandFailure(.unavailable, "nothing was changed") }
        var failed = 0
        if !plan.steps.isEmpty {
            try mayGoOn(terminal)
            failed = perform(plan.steps, facts, SetupWork(machine), terminal)
        }
        let trial = SetupTrial(terminal: terminal, socket: agent.socket)
        var findings = try trial.look(hasAdapter: !facts.adapters.isEmpty)
        if SetupState.isForeign(findings) {
            try decide(SetupState(machine: machine, terminal: terminal), trial)
            findings = try trial.look(hasAdapter: !facts.adapters.isEmpty)
        } else if plan.steps.isEmpty {
            terminal.say("There is nothing to do on it.")
        }
        let faults = trial.show(findings)
        guard failed + faults == 0 else {
            throw CommandFailure(
                .negative,
                Plural.text(failed + faults, "check or step", "checks or steps")
                    + " failed, so no phone is enrolled yet",
                cure: "follow the advice above, then run this command again")
        }
        try enrolFirst(terminal)
        terminal.say("this machine is set up; passwords work as before")
    }

    /// If the box's keys belong to another machine, chooses a new box or a replacement, by option or by asking.
    private func decide(_ state: SetupState, _ trial: SetupTrial) throws(CommandFailure) {
        guard try state.isStillForeign({ () throws(CommandFailure) in try trial.look(hasAdapter: false) }) else {
            return
        }
        let wanted: SetupState.Choice? = newBox ? .newBox : replaceBox ? .replacement : state.ask(mayAsk: !yes)
        if let wanted { try state.perform(wanted) }
    }

    private func show(_ facts: SetupFacts, _ plan: SetupPlan, _ terminal: Terminal) {
        terminal.say("This machine:")
        let rows = facts.lines.map { ["  " + $0.name, Printable.text($0.text)] }
        TextTable.pairs(rows, width: terminal.columns).forEach { terminal.sayWhole($0) }
        for remark in plan.remarks {
            terminal.say(terminal.paint("note", .yellow) + "  " + Printable.text(remark.text), hanging: 6)
            terminal.say("      " + remark.cure, hanging: 6)
        }
        guard facts.hasSystemd, !plan.steps.isEmpty else { return }
        terminal.say("To do:")
        for (number, step) in plan.steps.enumerated() {
            terminal.say("  \(number + 1). \(step.sentence)", hanging: 5)
            if let file = step.file { terminal.say("     writes \(file)", hanging: 5) }
        }
        terminal.say("To revert these steps: boxagent setup --undo")
    }

    private func mayGoOn(_ terminal: Terminal) throws(CommandFailure) {
        if yes { return }
        guard terminal.inputIsTerminal else {
            throw CommandFailure(
                .usage, "cannot ask for confirmation: standard input is not a terminal; nothing was changed",
                cure: "add --yes")
        }
        guard terminal.confirm("Continue?") else { throw CommandFailure(.negative, "nothing was changed") }
    }

    /// Performs the steps and returns how many failed. A failed step does not prevent the others. An interrupt waits
    /// for the end of the step: nothing is left half done, and no program still runs at the next setup.
    private func perform(
        _ steps: [SetupStep], _ facts: SetupFacts, _ work: SetupWork, _ terminal: Terminal
    ) -> Int {
        let interrupt = Interrupt()
        defer { interrupt.release() }
        var failed = 0
        for (number, step) in steps.enumerated() {
            terminal.progress("\(number + 1) of \(steps.count): \(step.sentence) …")
            do {
                try work.perform(step, facts)
                terminal.endProgress()
                terminal.say(terminal.paint("done", .green) + "    \(step.sentence)", hanging: 8)
            } catch {
                failed += 1
                terminal.endProgress()
                sayFailed(step, error, terminal)
            }
            interrupt.takeEffect { sayInterrupted(after: number + 1, of: steps.count, terminal) }
        }
        return failed
    }

    private func sayInterrupted(after number: Int, of count: Int, _ terminal: Terminal) {
        let left = "interrupted after step \(number) of \(count); run this command again to do the remaining steps"
        terminal.say("boxagent: " + left, to: .error)
    }

    private func takeBack(_ work: SetupWork, _ terminal: Terminal) throws(CommandFailure) {
        let steps = work.records.steps
        guard !steps.isEmpty else {
            throw CommandFailure(
                .negative, "'boxagent setup' has changed nothing on this machine, so there is nothing to revert")
        }
        terminal.say("To revert:")
        for step in steps { terminal.say("  " + step.sentence, hanging: 4) }
        try mayGoOn(terminal)
        let interrupt = Interrupt()
        defer { interrupt.release() }
        var failed = 0
        for (number, step) in steps.enumerated() {
            do {
                let left = try work.takeBack(step)
                terminal.say(terminal.paint("undone", .green) + "  \(step.sentence)", hanging: 8)
                if let left { terminal.say("        " + Printable.text(left), hanging: 8) }
            } catch {
                failed += 1
                sayFailed(step, error, terminal)
            }
            interrupt.takeEffect { sayInterrupted(after: number + 1, of: steps.count, terminal) }
        }
        guard failed == 0 else {
            throw CommandFailure(.fault, "\(failed) of \(steps.count) steps could not be reverted")
        }
    }

    private func sayFailed(_ step: SetupStep, _ failure: SetupFailure, _ terminal: Terminal) {
        terminal.say(terminal.paint("FAILED", .red) + "  \(step.sentence)", hanging: 8)
        terminal.say("        " + Printable.text(failure.text), hanging: 8)
    }

    /// Enrols the first phone, if a user is given or can be asked for.
    private func enrolFirst(_ terminal: Terminal) throws(CommandFailure) {
        let question = "Which user should the first phone log in? (Enter: no phone now)"
        guard let user = user ?? (yes ? nil : terminal.askForName(question)) else {
            return terminal.say("enrol a phone with: boxagent enrol USER")
        }
        var enrol: EnrolCommand
        var trial: TestLoginCommand
        do {
            enrol = try EnrolCommand.parse([user, "--socket", agent.socket])
            trial = try TestLoginCommand.parse([user, "--wait", "120", "--socket", agent.socket])
        } catch {
            throw CommandFailure(.usage, Printable.text("\"\(user)\" is not a valid user name"))
        }
        enrol.yes = yes
        try enrol.perform(terminal)
        terminal.say("Now run on the phone: boxphone login. This is a test; it logs no one in.")
        try trial.perform(terminal)
    }
}
