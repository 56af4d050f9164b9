import ArgumentParser
import CommandTool
import ControlProtocol
import TextOutput

struct LeaveCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Take this box out of its site, for good.",
        discussion: """
            Root only. The site's server is told where there is a link to one; otherwise remove the box at the site \
            as well. Phones that were enrolled at this box itself stay. It says what will happen, and asks.
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
            // What cannot be read can be forgotten all the same.
            guard error.status == .fault else { throw error }
            plan = ["everything that this box keeps of a site will be forgotten for good"]
        }
        try terminal.mayGoOn(plan, "Leave the site?", confirmed: confirmation.yes)
        terminal.conclude(try conversation.ask(.leaveSite))
    }

    static func plan(_ site: SiteListing) -> [String] {
        let id = Hex.text(site.site)
        var lines = [
            "this box (number \(Printable.text(site.boxNumber))) leaves site \(id) for good; joining again takes a new code"
        ]
        if site.linkedServer == nil {
            lines.append("no server can be told now: remove the box at the site as well (boxsite box remove)")
        }
        return lines
    }
}
