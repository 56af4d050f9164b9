import AgentSetup
import ArgumentParser
import CommandTool
import Glibc
import TextOutput

/// From an installed package to the first login.
struct SetupCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set this machine up, from an installed package to the first login.",
        discussion: """
            Root only. It looks at the machine, says what it will do, asks once, and does it: it starts the agent, \
            switches Bluetooth on where rfkill(8) blocks it, starts bluetoothd without the plugins that make phones \
            ask to pair, has pam-auth-update(8) put the module into the common PAM stacks, and shows the box's \
            digits on the first console by boxlogin(8). Units and stacks that were changed on this machine, and \
            consoles behind a display manager, are left alone and named.

            Then it waits until the agent and its radio work, prints what `boxagent doctor` finds, enrols a phone \
            for the user that is typed or given by --user, and waits for a tap, which logs nobody in.

            It may be interrupted at any time, and run again: it does what is left, or says `There is nothing to do \
            on it.`, which scripts may look for. Signals end it behind the step that it is in.

            Examples:
              boxagent setup
              boxagent setup --yes                     for scripts: enrols nobody
              boxagent setup --site-server 192.0.2.10  ahead of boxagent join
              boxagent setup --undo                    takes every step back
            """)

    @Flag(
        name: [.short, .long],
        help: "Ask nothing. Somebody is enrolled with --user only, without comparing the six digits.")
    var yes = false
    @Flag(
        help: """
            Take back what it has done, which /etc/boxagent/setup records. Files that were changed since stay.
            """)
    var undo = false
    @Option(help: ArgumentHelp("Enrol the first phone for this user.", valueName: "user"))
    var user: String?
    @Option(
        name: .customLong("site-server"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Ahead of `join`: let the agent reach this server of a site, at an address of numbers, and nothing else in the \
            network, by a drop-in of its unit, in place of the addresses that it may reach now. Up to 4 times.
            """, valueName: "address"))
    var siteServers: [String] = []
    @OptionGroup var agent: AgentOptions

    /// Servers that a box keeps of its site (docs/reference/site-protocol.md, 15).
    private static let siteServerLimit = 4

    func validate() throws {
        guard !undo || user == nil else { throw ValidationError("--undo enrols nobody; leave --user out") }
        guard !undo || siteServers.isEmpty else { throw ValidationError("--undo takes back; leave --site-server out") }
        guard siteServers.count <= Self.siteServerLimit else { throw ValidationError("a site has 4 servers at most") }
        for server in siteServers where !Self.isAddress(server) {
            throw ValidationError(
                "'\(Printable.text(server))' is no address of numbers, such as 192.0.2.10 or 2001:db8::10, without a port"
            )
        }
    }

    /// Whether it is an IPv4 or IPv6 address (inet_pton(3)): it goes into a unit's file.
    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { family in inet_pton(family, text, &address) == 1 }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard geteuid() == 0 else {
            throw CommandFailure(.notPermitted, "only root sets a machine up", cure: "run it as root")
        }
        // What it starts as root stands in no directory of somebody else's.
        guard chdir("/") == 0 else { throw CommandFailure(.fault, "the root directory cannot be entered") }
        let lock: SetupLock?
        do {
            lock = try SetupLock()
        } catch {
            throw CommandFailure(.fault, error.text)
        }
        guard let lock else {
            throw CommandFailure(.tryAgain, "another 'boxagent setup' is at work", cure: "wait for it to end")
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
        let faults = try SetupTrial(terminal: terminal, socket: agent.socket).look(hasAdapter: !facts.adapters.isEmpty)
        guard failed + faults == 0 else {
            throw CommandFailure(
                .negative, "\(failed + faults) of what was looked at or done failed, so no phone is enrolled yet",
                cure: "do what is said above, then run this again")
        }
        try enrolFirst(terminal)
        terminal.say("this machine is set up; passwords work as before")
    }

    private func show(_ facts: SetupFacts, _ plan: SetupPlan, _ terminal: Terminal) {
        terminal.say("This machine:")
        let rows = facts.lines.map { ["  " + $0.name, Printable.text($0.text)] }
        TextTable.lines(rows).forEach { terminal.say($0) }
        for remark in plan.remarks {
            terminal.say(terminal.paint("note", .yellow) + "  \(Printable.text(remark.text))\n      \(remark.cure)")
        }
        guard facts.hasSystemd else { return }
        if plan.steps.isEmpty { return terminal.say("There is nothing to do on it.") }
        terminal.say("To do:")
        for (number, step) in plan.steps.enumerated() {
            terminal.say("  \(number + 1). \(step.sentence)" + (step.file.map { "\n     writes \($0)" } ?? ""))
        }
        terminal.say("'boxagent setup --undo' takes it back.")
    }

    private func mayGoOn(_ terminal: Terminal) throws(CommandFailure) {
        if yes { return }
        guard terminal.inputIsTerminal else {
            throw CommandFailure(.usage, "nobody is here to ask; nothing was changed", cure: "add --yes")
        }
        guard terminal.confirm("Go on?") else { throw CommandFailure(.negative, "nothing was changed") }
    }

    /// How many steps failed. One that fails keeps none of the others from being done. Whoever interrupts it waits for the end
    /// of the step: nothing is left half done, and nobody at work whom the next run would meet.
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
                terminal.say(terminal.paint("done", .green) + "    \(step.sentence)")
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
        let left = "interrupted after step \(number) of \(count); run this again: it does what is left"
        terminal.say("boxagent: " + left, to: .error)
    }

    private func takeBack(_ work: SetupWork, _ terminal: Terminal) throws(CommandFailure) {
        let steps = work.records.steps
        guard !steps.isEmpty else {
            throw CommandFailure(.negative, "'boxagent setup' has done nothing here; nothing was changed")
        }
        terminal.say("To take back:")
        for step in steps { terminal.say("  " + step.sentence) }
        try mayGoOn(terminal)
        let interrupt = Interrupt()
        defer { interrupt.release() }
        var failed = 0
        for (number, step) in steps.enumerated() {
            do {
                let left = try work.takeBack(step)
                terminal.say(terminal.paint("undone", .green) + "  \(step.sentence)")
                if let left { terminal.say("        " + Printable.text(left)) }
            } catch {
                failed += 1
                sayFailed(step, error, terminal)
            }
            interrupt.takeEffect { sayInterrupted(after: number + 1, of: steps.count, terminal) }
        }
        guard failed == 0 else { throw CommandFailure(.fault, "\(failed) of \(steps.count) could not be taken back") }
    }

    private func sayFailed(_ step: SetupStep, _ failure: SetupFailure, _ terminal: Terminal) {
        terminal.say(terminal.paint("FAILED", .red) + "  \(step.sentence)\n        \(Printable.text(failure.text))")
    }

    /// The first phone, where there is somebody to hold it.
    private func enrolFirst(_ terminal: Terminal) throws(CommandFailure) {
        let question = "Whom shall the first phone log in? Enter: nobody now."
        guard let user = user ?? (yes ? nil : terminal.askForName(question)) else {
            return terminal.say("a phone is enrolled with: boxagent enrol USER")
        }
        var enrol: EnrolCommand
        var trial: TestLoginCommand
        do {
            enrol = try EnrolCommand.parse([user, "--socket", agent.socket])
            trial = try TestLoginCommand.parse([user, "--wait", "120", "--socket", agent.socket])
        } catch {
            throw CommandFailure(.usage, Printable.text("\(user) is no user name"))
        }
        enrol.yes = yes
        try enrol.perform(terminal)
        terminal.say("Now tap \"Log in\" on the phone: a trial, nobody is logged in.")
        try trial.perform(terminal)
    }
}
