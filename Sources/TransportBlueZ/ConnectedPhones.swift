import DBus
import Transport

/// Which devices are connected, what they have touched, and which sockets tell them apart. Pure.
///
/// Up to 5.68, bluetoothd has one write socket for all phones and says nothing of who wrote (src/gatt-database.c,
/// `write_io`): a socket is used only while no other device could be the writer, else WriteValue, which names the device.
/// From 5.69 on each phone has sockets of its own, which shows when one is asked for while another phone's is open.
struct ConnectedPhones: Sendable {
    struct Phone: Sendable {
        var isConnected = false
        var isPaired = false
        /// It has read, written or subscribed.
        var hasTouched = false
        var mtu = GATTProfile.attMTUBytes.lowerBound
        var links = 0
    }

    static let phoneLimit = 256

    private(set) var phones: [ObjectPath: Phone] = [:]
    private(set) var socketsAreSeparate = false

    mutating func update(_ device: ObjectPath, connected: Bool, paired: Bool) {
        guard connected else {
            phones[device] = nil
            return
        }
        guard phones[device] != nil || phones.count < Self.phoneLimit else { return }
        phones[device, default: Phone()].isConnected = true
        phones[device]?.isPaired = paired
    }

    /// A request of the device. It makes known one whose connection bluetoothd has not told of yet.
    mutating func touched(_ device: ObjectPath, mtu: Int?) {
        guard phones[device] != nil || phones.count < Self.phoneLimit else { return }
        phones[device, default: Phone()].hasTouched = true
        if let mtu { phones[device]?.mtu = mtu }
    }

    /// Whether this device asked for something and is not connected: its connection was not told of yet, or has ended.
    func isGhost(_ device: ObjectPath) -> Bool {
        phones[device].map { !$0.isConnected } ?? false
    }

    mutating func linksChanged(_ device: ObjectPath, by change: Int) {
        guard let links = phones[device]?.links else { return }
        phones[device]?.links = max(0, links + change)
    }

    /// A socket is asked for while those of the others are open.
    mutating func socketAsked(for device: ObjectPath, open: Set<ObjectPath>) {
        if open.contains(where: { $0 != device && phones[$0]?.isConnected == true }) { socketsAreSeparate = true }
    }

    /// Whether what comes through this device's write socket can only be its own. A paired device that never touched the
    /// service is a keyboard or the like.
    func mayUseSocket(_ device: ObjectPath) -> Bool {
        socketsAreSeparate
            || !phones.contains { $0.key != device && ($0.value.hasTouched || !$0.value.isPaired) }
    }

    /// Whether no two devices are connected that could be taken for one another.
    var maySocketsBeUsed: Bool {
        socketsAreSeparate || phones.values.filter { $0.hasTouched || !$0.isPaired }.count < 2
    }

    mutating func removeAll() { phones = [:] }
}
