import AgentConfiguration
import AgentSetup
import CommandTool
import ControlProtocol
import Glibc
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
    /// The beginning of the names of all other files of a vault.
    private static let vault = "vault."
    /// The time for the agent to find that the state belongs to this machine after all.
    private static let secondThoughtSeconds = 10
    private static let configuration = "/etc/boxagent/boxagent.toml"

    let machine: SetupMachine
    let terminal: Terminal

    /// Returns whether the agent's doctor reports another machine's state.
    static func isForeign(_ findings: [Finding]) -> Bool {
        findings.contains { $0.name == "machine" && $0.level == .fault }
    }

    /// Returns whether the keys still count as another machine's after ten seconds. The kernel may find an adapter late
    /// in a boot, and the agent then restarts by itself.
    func isStillForeign(_ look: () throws(CommandFailure) -> [Finding]) throws(CommandFailure) -> Bool {
        for _ in 0..<Self.secondThoughtSeconds {
            terminal.progress("the box's keys seem to belong to another machine: waiting for more adapters …")
            sleep(1)
            guard Self.isForeign(try look()) else { return false }
        }
        terminal.endProgress()
        return true
    }

    /// Asks the administrator for the choice. Returns nil if it may not ask, or if both questions are denied.
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
        let box: Configuration.Box
        do {
            box = try Configuration.load(path: Self.configuration).box
        } catch {
            throw CommandFailure(.invalid, Printable.text("\(error)"))
        }
        // Ctrl-C takes effect after the change. Half of a state would be neither the old box nor a new one.
        let interrupt = Interrupt()
        defer { interrupt.release() }
        let stopped = machine.systemctl(["stop"] + SetupStep.units)
        defer { _ = machine.systemctl(["start"] + SetupStep.units) }
        guard stopped.succeeded else {
            throw CommandFailure(.fault, "boxagentd could not be stopped; nothing was changed")
        }
        do throws(SetupFailure) {
            // Remove the database before its key, and the mark last, so that setup asks again after an interruption.
            let names = machine.names(in: box.stateDirectory).reversed().filter { $0.hasPrefix(Self.vault) }
            for name in (choice == .newBox ? names : []) + [Self.mark] {
                try machine.removeFile(box.stateDirectory + "/" + name)
            }
        } catch {
            throw CommandFailure(.fault, Printable.text(error.text))
        }
        terminal.say(
            choice == .newBox
                ? "this machine is a new box now; enrol its phones again, and join its site again"
                : "this machine has taken the old one's place; the old one must never run again")
        guard choice == .newBox, !box.id.isEmpty else { return }
        terminal.say(
            "its number is still \(Printable.text(box.id)), because of box.id in \(Self.configuration): remove that line if the "
                + "other machine uses the number")
    }
}
