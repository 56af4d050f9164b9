import AgentProtocol
import ArgumentParser
import TextOutput

struct StatusCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what the agent does right now.",
        discussion: "Example: boxagent status --json")

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        var status: AgentStatus?
        _ = try conversation.ask(.status) { reply in
            if case .status(let received) = reply { status = received }
        }
        guard let status else { throw CommandFailure(.malformed(.unknown)) }
        if listing.json {
            terminal.say(Self.json(status).line)
        } else {
            TextTable.lines(Self.rows(status)).forEach { terminal.say($0) }
        }
    }

    static func rows(_ status: AgentStatus) -> [[String]] {
        [
            ["box", Printable.text(status.boxID)],
            ["radio", Printable.text(status.radio) + ": " + Printable.text(status.radioState)],
            ["running for", Timestamp.span(status.uptimeSeconds)],
            ["phones enrolled", String(status.devicesActive)],
            ["links", "\(status.linksOpen) open, \(status.channelsAuthenticated) of a known phone"],
            ["programs waiting", String(status.programsWaiting)],
            ["tap waiting", status.tapHeld ? "yes" : "no"],
            ["sessions", String(status.sessionsOwned)],
            ["enrolment", status.enrolmentOpen ? "open" : "closed"],
            ["refused links", "\(status.failuresUnauthenticated) since the start"],
        ]
    }

    static func json(_ status: AgentStatus) -> JSONValue {
        .record([
            ("box_id", .bytes(status.boxID)), ("radio", .bytes(status.radio)),
            ("radio_state", .bytes(status.radioState)), ("uptime_seconds", .number(status.uptimeSeconds)),
            ("devices_active", .number(status.devicesActive)), ("links_open", .number(status.linksOpen)),
            ("channels_authenticated", .number(status.channelsAuthenticated)),
            ("programs_waiting", .number(status.programsWaiting)),
            ("tap_held", .flag(status.tapHeld)),
            ("sessions_owned", .number(status.sessionsOwned)), ("enrolment_open", .flag(status.enrolmentOpen)),
            ("failures_unauthenticated", .number(status.failuresUnauthenticated)),
        ])
    }
}
