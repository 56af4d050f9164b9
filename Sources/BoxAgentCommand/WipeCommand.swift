import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct WipeCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe", abstract: "Destroy credentials that the box keeps.",
        discussion: """
            Phones stay enrolled, and their users store their credentials again. Credentials on the phones stay. The \
            first of these commands also destroys damaged databases that the agent has set aside, because it cannot \
            tell whose credentials they contain. The command shows what it will destroy, and asks.
            Examples:
              boxagent wipe 7k2m
              boxagent wipe --user anna --yes
              boxagent wipe --all
            """)

    @Argument(help: "The phone: its id or the start of it, its label, or its user if that user has one phone.")
    var device: String?
    @Option(help: ArgumentHelp("Destroy the credentials of all phones of this user.", valueName: "user"))
    var user: String?
    @Flag(help: "Destroy all credentials on this box.")
    var all = false
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard DeviceSelection(device: device, user: user, all: all) != nil else {
            throw ValidationError("name one phone, or use --user or --all")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard var selection = DeviceSelection(device: device, user: user, all: all) else {
            throw CommandFailure(.usage, "name one phone, or use --user or --all")
        }
        var conversation = try Conversation(socket: agent.socket)
        let chosen = try conversation.devices(&selection, terminal)
        let holding = chosen.filter { $0.pinAttemptsLeft != nil }
        let damaged = selection == .all ? try conversation.damagedDatabases() : []
        guard !holding.isEmpty || !damaged.isEmpty else {
            let whose = selection == .all ? "" : " of \(Self.names(chosen))"
            throw CommandFailure(
                .negative, "this box keeps no credential\(whose); nothing was changed",
                cure: "list the phones with: boxagent devices")
        }
        try terminal.mayGoOn(Self.plan(holding, damaged), Self.question(holding), confirmed: confirmation.yes)
        let requests: [WipeSelection] =
            switch selection {
            case .device, .web: [.device(chosen.first?.id ?? [])]
            case .user(let user): user.spellings(of: chosen).map { .user($0) }
            case .all: [.all]
            }
        for request in requests { terminal.conclude(try conversation.ask(.wipe(request))) }
    }

    private static func names(_ devices: [DeviceListing]) -> String {
        devices.map { "device \(Printable.text($0.id)) (\(Printable.text($0.user)))" }.joined(separator: ", ")
    }

    private static func question(_ holding: [DeviceListing]) -> String {
        switch holding.count {
        case 0: "Destroy what is listed?"
        case 1: "Destroy this credential?"
        case let count: "Destroy these \(count) credentials?"
        }
    }

    /// Describes exactly what will be destroyed. `damaged` are the doctor's findings about stored damaged databases.
    static func plan(_ holding: [DeviceListing], _ damaged: [String]) -> [String] {
        let phones = holding.count == 1 ? "this phone" : "these \(holding.count) phones"
        let listed =
            holding.isEmpty
            ? []
            : ["The credentials that this box keeps for \(phones) will be destroyed for good:"]
                + DeviceTable.lines(holding)
        guard !damaged.isEmpty else { return listed }
        return listed + ["Damaged databases that were set aside will be destroyed for good:"]
            + damaged.map { "  " + $0 }
    }
}

extension Conversation {
    /// Part of the name of each database that the agent set aside.
    private static let mark = ".damaged-"

    /// Returns the doctor's findings about stored damaged databases; empty if there are none.
    fileprivate mutating func damagedDatabases() throws(CommandFailure) -> [String] {
        var found: [String] = []
        // Checking a large vault takes seconds.
        _ = try ask(.doctor, within: .seconds(60)) { reply in
            guard case .finding(let finding) = reply, finding.text.parts(around: Self.mark) != nil else { return }
            found.append(Printable.text(finding.text))
        }
        return found
    }
}
