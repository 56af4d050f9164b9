import ControlProtocol
import ArgumentParser
import CommandTool
import TextOutput

struct DevicesCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the phones that are enrolled, or were.",
        discussion: """
            A phone marked "web" is a page in a browser: its absence does not lock or end a session. A phone marked \
            "site" is not enrolled at this box itself: the box's site granted it access.
            A phone is refused if its user's account has another number (uid) now, because another person may have \
            the name. If it is the same person, use --same-person; otherwise revoke the phone.
            Examples:
              boxagent devices --json
              boxagent devices --same-person anna
            """)

    @Option(
        help: ArgumentHelp("Accept this user's refused phones: the person has a new number.", valueName: "user"))
    var samePerson: String?
    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        if let samePerson {
            return terminal.say(try conversation.ask(.samePerson(user: Array(samePerson.utf8))))
        }
        let devices = try conversation.devices()
        if listing.json {
            terminal.sayWhole(JSONValue.list(devices.map(Self.json)).line)
        } else if devices.isEmpty {
            terminal.say("no phones are enrolled; enrol one with: boxagent enrol USER", to: .error)
        } else {
            let head = ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST USED", "CREDENTIAL"]
            Self.table(head, devices, columns: terminal.columns).forEach { terminal.sayWhole($0) }
        }
    }

    /// Returns the table. On a narrow terminal, IDs are shortened as far as they stay distinct, and times to days.
    /// `head` may omit the last columns.
    static func table(_ head: [String], _ devices: [DeviceListing], columns: Int?) -> [String] {
        let rows = devices.map { Array(row($0).prefix(head.count)) }
        let full = [head] + rows
        guard let columns, TextTable.width(full) > columns else { return TextTable.lines(full) }
        let count = ShortID.count(telling: devices.map { Printable.text($0.id) })
        let compact = rows.map { row in
            var cells = row
            cells[0] = String(cells[0].prefix(count))
            cells[4] = day(cells[4])
            cells[5] = day(cells[5])
            return cells
        }
        return TextTable.lines([head] + compact, width: columns, flexible: [1, 2, 6])
    }

    static func row(_ device: DeviceListing) -> [String] {
        return [
            Printable.text(device.id), Printable.text(device.user),
            device.label.isEmpty ? "-" : Printable.text(device.label), state(device),
            Timestamp.local(device.enrolledUnixSeconds),
            device.lastUsedUnixSeconds.map(Timestamp.local) ?? "never", credential(device),
        ]
    }

    static func state(_ device: DeviceListing) -> String {
        "\(device.state)" + (device.isWeb ? ", web" : "") + (device.isOfSite ? ", site" : "")
            + (device.otherUID.map { ", refused: uid \(device.uid ?? 0) is \($0) now" } ?? "")
            + (device.connected ? ", here" : "")
    }

    private static func day(_ time: String) -> String { String(time.prefix { $0 != " " }) }

    private static func credential(_ device: DeviceListing) -> String {
        guard device.credential == .boxHeld else { return "on the phone" }
        let stale = device.credentialStale ? ", out of date" : ""
        guard let left = device.pinAttemptsLeft else { return "on the box: none" + stale }
        return "on the box, \(Plural.text(left, "PIN try", "PIN tries")) left" + stale
    }

    static func json(_ device: DeviceListing) -> JSONValue {
        .record([
            ("id", .bytes(device.id)), ("user", .bytes(device.user)), ("label", .bytes(device.label)),
            ("box_held", .flag(device.credential == .boxHeld)), ("web", .flag(device.isWeb)),
            ("site", .flag(device.isOfSite)), ("uid", .optional(device.uid) { .number($0) }),
            ("other_uid", .optional(device.otherUID) { .number($0) }), ("state", .word(device.state)),
            ("enrolled", .text(Timestamp.universal(device.enrolledUnixSeconds))),
            ("last_used", .optional(device.lastUsedUnixSeconds) { .text(Timestamp.universal($0)) }),
            ("connected", .flag(device.connected)),
            ("pin_attempts_left", .optional(device.pinAttemptsLeft) { .number($0) }),
            ("credential_stale", .flag(device.credentialStale)),
        ])
    }
}
