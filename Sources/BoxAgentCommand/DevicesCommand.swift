import AgentProtocol
import ArgumentParser
import TextOutput

struct DevicesCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the phones that are enrolled.",
        discussion: "Example: boxagent devices --json")

    @OptionGroup var agent: AgentOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        let devices = try conversation.devices()
        if listing.json {
            terminal.say(JSONValue.list(devices.map(Self.json)).line)
        } else if devices.isEmpty {
            terminal.say("no phone is enrolled; enrol one: boxagent enrol USER")
        } else {
            let head = ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST USED", "CREDENTIAL"]
            TextTable.lines([head] + devices.map(Self.row)).forEach { terminal.say($0) }
        }
    }

    static func row(_ device: DeviceListing) -> [String] {
        let state = "\(device.state)" + (device.connected ? ", here" : "")
        return [
            Printable.text(device.id), Printable.text(device.user), Printable.text(device.label), state,
            Timestamp.local(device.enrolledUnixSeconds),
            device.lastUsedUnixSeconds.map(Timestamp.local) ?? "never", credential(device),
        ]
    }

    private static func credential(_ device: DeviceListing) -> String {
        guard device.boxHeld else { return "on the phone" }
        let stale = device.credentialStale ? ", out of date" : ""
        guard let left = device.pinAttemptsLeft else { return "on the box: none" + stale }
        return "on the box, \(left) PIN tries left" + stale
    }

    static func json(_ device: DeviceListing) -> JSONValue {
        .record([
            ("id", .bytes(device.id)), ("user", .bytes(device.user)), ("label", .bytes(device.label)),
            ("box_held", .flag(device.boxHeld)), ("state", .text("\(device.state)")),
            ("enrolled", .text(Timestamp.universal(device.enrolledUnixSeconds))),
            ("last_used", .optional(device.lastUsedUnixSeconds) { .text(Timestamp.universal($0)) }),
            ("connected", .flag(device.connected)),
            ("pin_attempts_left", .optional(device.pinAttemptsLeft) { .number($0) }),
            ("credential_stale", .flag(device.credentialStale)),
        ])
    }
}

extension Conversation {
    /// All devices, revoked ones too, oldest first.
    mutating func devices() throws(CommandFailure) -> [DeviceListing] {
        var devices: [DeviceListing] = []
        _ = try ask(.devices) { reply in
            if case .device(let device) = reply { devices.append(device) }
        }
        return devices
    }
}
