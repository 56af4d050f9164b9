import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct DoctorCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find what prevents logins, and say what to do about it.",
        discussion: """
            If the agent does not answer, the command asks systemd(1) for the unit's state, checks the configuration \
            as the agent's user, and reads the agent's last error in the journal. The last two need root. If the agent \
            runs but would refuse its present configuration files, that is a fault as well.
            The exit status is 1 if a fault was found, and 0 if there are only warnings.
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        let findings = try Consultation(socket: agent.socket).findings()
        if listing.json {
            terminal.sayWhole(JSONValue.list(findings.map(Self.json)).line)
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
        terminal.say("\(mark)  \(Printable.text(finding.name)): \(Printable.text(finding.text))", hanging: 9)
        if !finding.cure.isEmpty { terminal.say("         " + Printable.text(finding.cure), hanging: 9) }
    }

    static func json(_ finding: Finding) -> JSONValue {
        .record([
            ("level", .word(finding.level)), ("name", .text(finding.name)), ("text", .text(finding.text)),
            ("cure", .text(finding.cure)),
        ])
    }
}
