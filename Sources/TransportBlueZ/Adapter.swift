import DBus

/// A Bluetooth adapter of bluetoothd.
struct Adapter: Sendable, Equatable {
    let path: ObjectPath
    let address: String
    let isPowered: Bool
    /// True if bluetoothd provides a GATT server and advertising on it.
    let isPeripheral: Bool
    let activeInstances: Int
    let supportedInstances: Int
    /// True if bluetoothd applies the intervals of an advertisement. It does so only with its experimental interfaces,
    /// and then has this property (5.66, src/advertising.c).
    let heedsIntervals: Bool

    /// The name, such as "hci0".
    var name: String { String(path.text.split(separator: "/").last ?? "") }

    init?(_ path: ObjectPath, in objects: BlueZObjects) {
        guard let adapter = objects[path, BlueZ.adapter] else { return nil }
        let advertising = objects[path, BlueZ.advertisingManager]
        self.path = path
        address = adapter["Address"]?.text ?? ""
        isPowered = adapter["Powered"]?.flag ?? false
        isPeripheral = advertising != nil && objects[path, BlueZ.gattManager] != nil
        activeInstances = advertising?["ActiveInstances"]?.integer ?? 0
        supportedInstances = advertising?["SupportedInstances"]?.integer ?? 0
        heedsIntervals = advertising?["SupportedFeatures"] != nil
    }

    /// Returns the adapter with this name. Without a name, returns the first powered one, or else the first.
    static func chosen(_ name: String, in objects: BlueZObjects) -> Adapter? {
        let all = objects.paths(with: BlueZ.adapter).compactMap { Adapter($0, in: objects) }
        guard name.isEmpty else { return all.first { $0.name == name } }
        return all.first(where: \.isPowered) ?? all.first
    }
}
