import CommandTool
import ControlProtocol
import TextOutput

/// The phones that a command is about.
enum DeviceSelection: Equatable {
    case device(DeviceName)
    case user(AccountName)
    /// Phones that are pages in a browser.
    case web
    case all

    /// Returns nil unless exactly one of the arguments is given.
    init?(device: String?, user: String?, web: Bool = false, all: Bool = false) {
        switch (device, user, web, all) {
        case (let device?, nil, false, false): self = .device(DeviceName(text: device))
        case (nil, let user?, false, false): self = .user(AccountName(user))
        case (nil, nil, true, false): self = .web
        case (nil, nil, false, true): self = .all
        default: return nil
        }
    }

    /// Returns the selected enrolled devices. Throws if none matches, or if a name matches several.
    func devices(among listed: [DeviceListing]) throws(CommandFailure) -> [DeviceListing] {
        switch self {
        case .all: return listed.filter { $0.state != .revoked }
        case .web:
            let pages = listed.filter { $0.state != .revoked && $0.isWeb }
            guard pages.isEmpty else { return pages }
            throw CommandFailure(
                .negative, "no enrolled phone is a page in a browser; nothing was changed",
                cure: "list the phones with: boxagent devices")
        case .user(let account):
            let theirs = listed.filter { $0.state != .revoked && account.spellings.contains($0.user) }
            guard theirs.isEmpty else { return theirs }
            throw CommandFailure(
                .negative,
                "\(Printable.text(account.given)) has no enrolled phone\(account.doubt); nothing was changed",
                cure: "list the phones with: boxagent devices")
        case .device(let name): return [try Self.device(name, among: listed)]
        }
    }

    private static func device(_ name: DeviceName, among listed: [DeviceListing]) throws(CommandFailure)
        -> DeviceListing
    {
        let shown = Printable.text(name.text)
        switch name.meaning(among: listed) {
        case .one(let device) where device.state != .revoked: return device
        case .one(let device):
            throw CommandFailure(
                .negative,
                "device \(Printable.text(device.id)) of \(Printable.text(device.user)) is already revoked; nothing was "
                    + "changed")
        case .several(let candidates):
            throw CommandFailure(
                .invalid, "\"\(shown)\" matches \(candidates.count) phones; nothing was changed",
                cure: "give the id of one phone, or enough of its start to be unique",
                listing: DeviceTable.lines(candidates))
        case .none:
            throw CommandFailure(
                .negative, "no enrolled phone has the id, label or user \"\(shown)\"; nothing was changed",
                cure: "list the phones with: boxagent devices")
        }
    }
}

extension Conversation {
    /// Returns the selected enrolled devices. A user may be given in any spelling that the box's user database knows.
    mutating func devices(
        _ selection: inout DeviceSelection, _ terminal: Terminal
    ) throws(CommandFailure) -> [DeviceListing] {
        if case .user(let user) = selection { selection = .user(account(of: user.given, renaming: true, terminal)) }
        let listed = try devices()
        guard case .device(let name) = selection, name.named(among: listed).isEmpty else {
            return try selection.devices(among: listed)
        }
        let user = account(of: Array(name.text.utf8), renaming: true, terminal)
        selection = .device(DeviceName(text: Printable.text(user.name)))
        // Lists the devices again, because the agent may have renamed their users.
        return try selection.devices(among: try devices())
    }

    /// Returns all devices, including revoked ones, oldest first.
    mutating func devices() throws(CommandFailure) -> [DeviceListing] {
        var devices: [DeviceListing] = []
        _ = try ask(.devices) { reply in
            if case .device(let device) = reply { devices.append(device) }
        }
        return devices
    }

    /// Returns the known sessions that the caller may see, and the reason why more may be open, or an empty text.
    mutating func sessions() throws(CommandFailure) -> (known: [SessionListing], doubt: String) {
        var sessions: [SessionListing] = []
        let doubt = try ask(.sessions) { reply in
            if case .session(let session) = reply { sessions.append(session) }
        }
        return (sessions, doubt)
    }
}
