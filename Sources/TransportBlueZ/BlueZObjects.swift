import DBus

/// A copy of the properties of bluetoothd's adapters, devices and remote services that this module uses.
package struct BlueZObjects: Sendable {
    package typealias Properties = [String: DBusValue]

    /// The most objects kept. bluetoothd forgets devices after a while, so a real neighbourhood never has more.
    package static let objectLimit = 4_096
    /// The properties to keep. All others are dropped.
    static let keptProperties: Set<String> = [
        "Address", "AddressType", "Powered", "Discovering", "ActiveInstances", "SupportedInstances",
        "SupportedFeatures", "Connected", "Paired", "ServicesResolved", "RSSI", "UUIDs", "Name", "UUID", "Service",
        "Flags", "MTU", "Adapter",
    ]
    static let keptInterfaces: Set<String> = [
        BlueZ.adapter, BlueZ.device, BlueZ.gattManager, BlueZ.advertisingManager, BlueZ.gattService,
        BlueZ.characteristic,
    ]

    package private(set) var objects: [ObjectPath: [String: Properties]] = [:]

    /// Reads bluetoothd's list of objects, an `a{oa{sa{sv}}}`.
    package init(managed: DBusValue?) {
        for case .dictionaryEntry(let key, let value) in managed?.elements ?? [] {
            if let path = key.path { add(path, value) }
        }
    }

    init() {}

    subscript(_ path: ObjectPath, _ interface: String) -> Properties? { objects[path]?[interface] }

    func paths(with interface: String) -> [ObjectPath] {
        objects.filter { $0.value[interface] != nil }.keys.sorted { $0.text < $1.text }
    }

    /// Adds interfaces from an `a{sa{sv}}`.
    mutating func add(_ path: ObjectPath, _ interfaces: DBusValue) {
        guard objects[path] != nil || objects.count < Self.objectLimit else { return }
        for (interface, properties) in interfaces.dictionary ?? [:] where Self.keptInterfaces.contains(interface) {
            objects[path, default: [:]][interface] = kept(properties.dictionary ?? [:])
        }
    }

    mutating func remove(_ path: ObjectPath, interfaces: [String]) {
        for interface in interfaces { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
    }

    mutating func change(_ path: ObjectPath, _ interface: String, _ changed: Properties, invalidated: [String]) {
        guard objects[path]?[interface] != nil else { return }
        for (name, value) in kept(changed) { objects[path]?[interface]?[name] = value }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
    }

    private func kept(_ properties: Properties) -> Properties {
        properties.filter { Self.keptProperties.contains($0.key) }
    }
}
