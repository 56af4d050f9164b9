import ControlProtocol
import TextOutput

/// What a person wrote to name a phone: its id or a beginning of it, its label, or its user where that user has one.
struct DeviceName: Equatable {
    /// What a name means among the devices that there are.
    enum Meaning: Equatable {
        case one(DeviceListing)
        /// In the order of the listing, at least two.
        case several([DeviceListing])
        case none
    }

    let text: String

    /// A full id names its device, whatever others are called: people choose labels, and nobody chooses an id. Otherwise
    /// every way of naming counts the same, so that no label hides a phone of somebody else's. Revoked devices are meant
    /// only where no other one is.
    func meaning(among devices: [DeviceListing]) -> Meaning {
        let named = named(among: devices)
        let current = named.filter { $0.state != .revoked }
        let meant = current.isEmpty ? named : current
        guard let first = meant.first else { return .none }
        return meant.count == 1 ? .one(first) : .several(meant)
    }

    /// All that the name may mean, the revoked ones included.
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

    /// As it was given, or as a listing shows it.
    private func names(_ bytes: [UInt8]) -> Bool {
        Array(text.utf8) == bytes || text == Printable.text(bytes)
    }
}
