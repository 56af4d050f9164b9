import ControlProtocol
import TextOutput

/// The text with which a person names a phone: its ID, the start of its ID, its label, or its user.
struct DeviceName: Equatable {
    /// The devices that a name matches.
    enum Meaning: Equatable {
        case one(DeviceListing)
        /// At least two, in the order of the listing.
        case several([DeviceListing])
        case none
    }

    let text: String

    /// Returns the matching devices. A full ID takes precedence, because people choose labels but not IDs. Other forms
    /// count equally, so that no label hides another user's phone. Revoked devices count only if no other device
    /// matches.
    func meaning(among devices: [DeviceListing]) -> Meaning {
        let named = named(among: devices)
        let current = named.filter { $0.state != .revoked }
        let meant = current.isEmpty ? named : current
        guard let first = meant.first else { return .none }
        return meant.count == 1 ? .one(first) : .several(meant)
    }

    /// Returns all devices that the name may mean, including revoked ones.
    func named(among devices: [DeviceListing]) -> [DeviceListing] {
        if let exact = devices.first(where: { isID(of: $0) }) { return [exact] }
        return devices.filter(mayMean)
    }

    private func isID(of device: DeviceListing) -> Bool {
        text.lowercased() == Printable.text(device.id).lowercased()
    }

    private func mayMean(_ device: DeviceListing) -> Bool {
        guard !text.isEmpty else { return false }
        return Printable.text(device.id).lowercased().hasPrefix(text.lowercased())
            || [device.label, device.user].contains { names($0) }
    }

    /// Compares the text with the exact bytes and with their form in a listing.
    private func names(_ bytes: [UInt8]) -> Bool {
        Array(text.utf8) == bytes || text == Printable.text(bytes)
    }
}
