import ArgumentParser
import CommandTool
import ControlProtocol
import TextOutput

struct LeaveCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Remove this box from its site, for good.",
        discussion: """
            Root only. If the box is linked to a server of the site, the server is told; otherwise remove the box at \
            the site as well. Phones that were enrolled at this box itself stay. The command shows what it will do, \
            and asks.
            """)

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        let plan: [String]
        do throws(CommandFailure) {
            guard let site = try conversation.site() else { throw CommandFailure(.malformed(.unknownMessage)) }
            plan = Self.plan(site)
        } catch {
            // Site data that the agent cannot read can still be deleted.
            guard error.status == .fault else { throw error }
            plan = ["everything that this box stores about a site will be deleted for good"]
        }
        try terminal.mayGoOn(plan, "Leave the site?", confirmed: confirmation.yes)
        terminal.conclude(try conversation.ask(.leaveSite))
    }

    static func plan(_ site: SiteListing) -> [String] {
        let id = Hex.text(site.site)
        var lines = [
            "this box (number \(Printable.text(site.boxNumber))) will leave site \(id) for good: the site does not accept "
                + "the keys of a removed box again"
        ]
        if site.linkedServer == nil {
            lines.append("no server can be told now: remove the box at the site as well, with: boxsite box remove")
        }
        return lines
    }
}
