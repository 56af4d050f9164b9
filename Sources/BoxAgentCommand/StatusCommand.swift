import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct StatusCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what the agent is doing.",
        discussion: """
            Shows the radio and the sessions. Root and greeters also see the links, the programs that wait, and \
            whether a tap waits.
            Examples:
              boxagent status --json
              boxagent status --explain
            """)

    @Flag(
        help: """
            Also explain why each phone that is here, or that owns an open session, counts as present, near or away: \
            its link, the average of its signal, the thresholds, and what happens next and when. Root sees all phones, \
            other users their own.
            """)
    var explain = false

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        var status: AgentStatus?
        _ = try conversation.ask(.status) { reply in
            if case .status(let received) = reply { status = received }
        }
        guard let status else { throw CommandFailure(.malformed(.unknownMessage)) }
        var phones: [PresenceListing]?
        if explain {
            var listed: [PresenceListing] = []
            _ = try conversation.ask(.explainPresence) { reply in
                if case .presence(let phone) = reply { listed.append(phone) }
            }
            phones = listed
        }
        if listing.json {
            terminal.sayWhole(Self.json(status, phones).line)
        } else {
            TextTable.pairs(Self.rows(status), width: terminal.columns).forEach { terminal.sayWhole($0) }
            PresenceText.lines(phones).forEach { terminal.sayWhole($0) }
        }
    }

    static func rows(_ status: AgentStatus) -> [[String]] {
        [
            ["box", Printable.text(status.boxID)],
            ["radio", Printable.text(status.radio) + ": " + Printable.text(status.radioState)],
            ["running for", Timestamp.span(status.uptimeSeconds)],
            ["phones enrolled", String(status.devicesActive)],
        ] + (status.site.map { [["site", Printable.text($0)]] } ?? []) + (status.activity.map(rows) ?? []) + [
            ["sessions", String(status.sessionsOwned)],
            ["enrolment", status.enrolmentOpen ? "open" : "closed"],
            ["refused links", "\(status.failuresUnauthenticated) since boxagentd started"],
        ]
    }

    private static func rows(_ activity: AgentActivity) -> [[String]] {
        [
            ["links", "\(activity.linksOpen) open, \(activity.channelsAuthenticated) with a known phone"],
            ["programs waiting", String(activity.programsWaiting)],
            ["tap waiting", activity.tapHeld ? "yes" : "no"],
        ]
    }

    /// Returns the status as JSON; values that the caller may not see are null.
    static func json(_ status: AgentStatus, _ phones: [PresenceListing]? = nil) -> JSONValue {
        let presence = phones.map { [("presence", JSONValue.list($0.map(PresenceText.json)))] } ?? []
        return .record(
            [
                ("box_id", .text(status.boxID)), ("radio", .text(status.radio)),
                ("radio_state", .text(status.radioState)), ("uptime_seconds", .number(status.uptimeSeconds)),
                ("devices_active", .number(status.devicesActive)),
                ("links_open", .number(orNull: status.activity?.linksOpen)),
                ("channels_authenticated", .number(orNull: status.activity?.channelsAuthenticated)),
                ("programs_waiting", .number(orNull: status.activity?.programsWaiting)),
                ("tap_held", .optional(status.activity?.tapHeld) { .flag($0) }),
                ("sessions_owned", .number(status.sessionsOwned)), ("enrolment_open", .flag(status.enrolmentOpen)),
                ("failures_unauthenticated", .number(status.failuresUnauthenticated)),
                ("site", .text(orNull: status.site)),
            ] + presence)
    }
}
