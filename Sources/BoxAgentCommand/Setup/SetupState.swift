import AgentConfiguration
import AgentSetup
import CommandTool
import ControlProtocol
import TextOutput

/// Handles another machine's state, as on a clone. This machine becomes a new box or the old one's replacement.
struct SetupState {
    enum Choice {
        /// Destroy the state; the agent then makes new keys.
        case newBox
        /// Keep the state, which now belongs to this machine.
        case replacement
    }

    /// The file that the agent writes beside the keys, with the machine to which they belong.
    private static let mark = "machine"
    private static let configuration = "/etc/boxagent/boxagent.toml"

    let machine: SetupMachine
    let terminal: Terminal

    /// Returns whether the agent's doctor reports such state.
    static func isForeign(_ findings: [Finding]) -> Bool {
        findings.contains { $0.name == "machine" && $0.level == .fault }
    }

    /// Asks the administrator for a choice that no option made; returns nil if there is none.
    func ask(mayAsk: Bool) -> Choice? {
        guard mayAsk, terminal.inputIsTerminal else {
            terminal.say(
                "The box's keys belong to another machine. Scripts choose with --new-box or --replace-box.", to: .error)
            return nil
        }
        terminal.say("The box's keys belong to another machine: this one may be a copy of it.")
        terminal.say(
            "A new box gets new keys. The copied keys, enrolled phones, stored passwords, the audit log and the membership "
                + "of a site are destroyed here. The other machine keeps its own.")
        if terminal.confirm("Make this machine a new box?") { return .newBox }
        terminal.say(
            "If the other machine is gone for good, this one can take its place with all phones. The other one must never run "
                + "again: phones could not tell the two apart.")
        return terminal.confirm("Is the other machine gone, and does this one take its place?") ? .replacement : nil
    }

    /// Performs the choice while the agent is stopped. Meanwhile, logins fall back to typed passwords.
    func perform(_ choice: Choice) throws(CommandFailure) {
        let directory: String
        do {
            directory = try Configuration.load(path: Self.configuration).box.stateDirectory
        } catch {
            throw CommandFailure(.invalid, Printable.text("\(error)"))
        }
        let stopped = machine.systemctl(["stop"] + SetupStep.units)
        defer { _ = machine.systemctl(["start"] + SetupStep.units) }
        guard stopped.succeeded else {
            throw CommandFailure(.fault, "boxagentd could not be stopped; nothing was changed")
        }
        do throws(SetupFailure) {
            // Remove the database before its key, and the mark last, so that setup asks again after an interruption.
            let others = choice == .newBox ? machine.names(in: directory).reversed().filter { $0 != Self.mark } : []
            for name in others + [Self.mark] { try machine.remove(directory + "/" + name) }
        } catch {
            throw CommandFailure(.fault, Printable.text(error.text))
        }
        terminal.say(
            choice == .newBox
                ? "this machine is a new box; phones are enrolled again, and a site is joined again"
                : "this machine has taken the old one's place, which must never run again")
    }
}
