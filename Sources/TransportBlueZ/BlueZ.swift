import DBus

/// The names of BlueZ's interfaces (BlueZ's doc/*.rst, or doc/*-api.txt up to 5.66).
enum BlueZ {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    static let root = ObjectPath.root
    static let bluezPath = "/org/bluez"

    /// Returns the adapter's number, such as 0 for /org/bluez/hci0/dev_….
    static func adapterNumber(of device: ObjectPath) -> Int? {
        let parts = device.text.split(separator: "/")
        guard parts.count > 2, parts[2].hasPrefix("hci") else { return nil }
        return Int(parts[2].dropFirst(3))
    }

    /// Returns whether the error means that the requested state already holds.
    static func isHarmless(_ error: DBusError) -> Bool {
        switch error.replyName {
        case "org.bluez.Error.AlreadyExists", "org.bluez.Error.DoesNotExist", "org.bluez.Error.NotConnected",
            "org.bluez.Error.AlreadyConnected":
            true
        default: false
        }
    }
}
