import AgentConfiguration
import AgentSetup
import CommandTool
import ControlProtocol
import TextOutput

/// State that belongs to another machine, as on a clone of a box: this machine becomes a new box, or takes the old one's place.
struct SetupState {
    enum Choice {
        /// The state is destroyed, and the agent makes new keys.
        case newBox
        /// The state is this machine's from now on.
        case replacement
    }

    /// What the agent writes beside the keys: which machine they belong to.
    private static let mark = "machine"
    private static let configuration = "/etc/boxagent/boxagent.toml"

    let machine: SetupMachine
    let terminal: Terminal

    /// Whether the agent's doctor says so.
    static func isForeign(_ findings: [Finding]) -> Bool {
        findings.contains { $0.name == "machine" && $0.level == .fault }
    }

    /// What the administrator wants, where nobody has said it as an option; nil: neither.
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

    /// Stops the agent for it. Logins fall back to typed passwords meanwhile.
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
            // The database before its key, and the mark last: whoever was interrupted is asked again.
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
