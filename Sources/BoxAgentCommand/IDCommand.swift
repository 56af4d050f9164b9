import ArgumentParser
import CommandTool
import TextOutput

struct IDCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "id", abstract: "Show the box ID and the key that certifies it.",
        discussion: """
            The first line is the box ID, the four to six digits that phones show. The second line is the id of the \
            authority key that certifies it. The box ID is an address, not a secret.
            Example:
              boxagent id --json
            """)

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        var lines: [String]?
        _ = try conversation.ask(.identity) { reply in
            guard case .identity(let boxID, let authority, let serial) = reply else { return }
            if listing.json {
                let json = JSONValue.record([
                    ("box_id", .text(boxID)), ("authority_key_id", .text(Hex.text(authority))),
                    ("certificate_serial", .number(serial)),
                ])
                lines = [json.line]
            } else {
                lines = [
                    Printable.text(boxID), "authority key \(Hex.text(authority))", "certificate serial \(serial)",
                ]
            }
        }
        guard let lines else { throw CommandFailure(.malformed(.unknownMessage)) }
        lines.forEach { terminal.sayWhole($0) }
    }
}
