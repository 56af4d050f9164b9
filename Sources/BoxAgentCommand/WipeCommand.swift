import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct WipeCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe", abstract: "Destroy credentials that the box holds.",
        discussion: """
            Phones stay enrolled; their owners store their credentials again. What phones hold themselves is not \
            touched. Damaged databases that the agent has set aside go with the first of these credentials, since \
            nobody can tell whose they hold. It shows what goes, and asks.

            Examples:
              boxagent wipe 7k2m
              boxagent wipe --user anna --yes
              boxagent wipe --all
            """)

    @Argument(help: "A phone: its id or a beginning of it, its label, or its user where that user has one phone.")
    var device: String?
    @Option(help: ArgumentHelp("Wipe the credentials of all this user's phones.", valueName: "user"))
    var user: String?
    @Flag(help: "Wipe every credential on this box.")
    var all = false
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard DeviceSelection(device: device, user: user, all: all) != nil else {
            throw ValidationError("name one device, or --user and a user, or --all")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        guard let selection = DeviceSelection(device: device, user: user, all: all) else {
            throw CommandFailure(.usage, "name one device, or --user and a user, or --all")
        }
        var conversation = try Conversation(socket: agent.socket)
        let chosen = try selection.devices(among: try conversation.devices())
        let holding = chosen.filter { $0.pinAttemptsLeft != nil }
        // What was kept of damaged databases is destroyed with everything, and nobody lists it.
        guard !holding.isEmpty || selection == .all else {
            throw CommandFailure(
                .negative, "this box holds no credential of \(Self.names(chosen)); nothing was changed",
                cure: "see 'boxagent devices'")
        }
        try terminal.mayGoOn(Self.plan(holding, selection), Self.question(holding), confirmed: confirmation.yes)
        let request: WipeSelection =
            switch selection {
            case .device, .web: .device(chosen.first?.id ?? [])
            case .user(let user): .user(Array(user.utf8))
            case .all: .all
            }
        terminal.conclude(try conversation.ask(.wipe(request)))
    }

    private static func names(_ devices: [DeviceListing]) -> String {
        devices.map { "device \(Printable.text($0.id)) (\(Printable.text($0.user)))" }.joined(separator: ", ")
    }

    private static func question(_ holding: [DeviceListing]) -> String {
        switch holding.count {
        case 0: "Destroy them?"
        case 1: "Destroy this credential?"
        case let count: "Destroy these \(count) credentials?"
        }
    }

    /// Exactly what goes.
    static func plan(_ holding: [DeviceListing], _ selection: DeviceSelection) -> [String] {
        let phones = holding.count == 1 ? "this phone" : "these \(holding.count) phones"
        let listed =
            holding.isEmpty
            ? [] : ["what this box holds for \(phones) will be destroyed for good:"] + DeviceTable.lines(holding)
        guard selection == .all else { return listed }
        return listed + [
            (listed.isEmpty ? "" : "with them ") + "everything that is kept of damaged databases will be destroyed"
        ]
    }
}
