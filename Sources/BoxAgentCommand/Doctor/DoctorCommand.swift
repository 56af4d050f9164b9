import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct DoctorCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look for what keeps people from logging in, and say what to do about it.",
        discussion: """
            Where the agent does not answer, it asks systemd(1) for the unit's state, has the agent's user check the \
            configuration, and reads the agent's last error in the journal; the last two only for root. An agent \
            that answers while its files would be refused is a fault as well.

            The exit status is 1 when a fault was found; warnings alone are 0.
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let findings = try Consultation(socket: agent.socket).findings()
        if listing.json {
            terminal.say(JSONValue.list(findings.map(Self.json)).line)
        } else {
            findings.forEach { Self.show($0, terminal) }
        }
        let faults = findings.filter { $0.level == .fault }.count
        guard faults == 0 else {
            throw CommandFailure(.negative, Plural.text(faults, "fault was", "faults were") + " found")
        }
    }

    static func show(_ finding: Finding, _ terminal: Terminal) {
        let mark =
            switch finding.level {
            case .good: terminal.paint("ok     ", .green)
            case .warning: terminal.paint("warning", .yellow)
            case .fault: terminal.paint("FAULT  ", .red)
            }
        terminal.say("\(mark)  \(Printable.text(finding.name)): \(Printable.text(finding.text))")
        if !finding.cure.isEmpty { terminal.say("         " + Printable.text(finding.cure)) }
    }

    static func json(_ finding: Finding) -> JSONValue {
        .record([
            ("level", .word(finding.level)), ("name", .text(finding.name)), ("text", .text(finding.text)),
            ("cure", .text(finding.cure)),
        ])
    }
}
