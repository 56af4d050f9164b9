import DBus
import GATTProfile

/// The connected devices, and those that have used the service. Pure.
struct ConnectedPhones: Sendable {
    struct Phone: Sendable {
        /// Tells this connection from an earlier one of the same device, whose late events must not affect it.
        let connection: UInt64
        var isConnected = false
        /// True if the device has read, written or subscribed.
        var hasTouched = false
        var mtu = GATTService.attMTUBytes.lowerBound
        var links = 0
        /// The number of links begun on this connection.
        var begun = 0
    }

    static let phoneLimit = 256
    /// The most links that one connection may begin in all. A phone begins one for each operation.
    static let linksPerConnection = 64
    /// The most links over one connection at once.
    static let linksAtOnce = 4

    private(set) var phones: [ObjectPath: Phone] = [:]
    private var connections: UInt64 = 0

    private mutating func begin(_ device: ObjectPath) {
        guard phones[device] == nil, phones.count < Self.phoneLimit else { return }
        connections += 1
        phones[device] = Phone(connection: connections)
    }

    mutating func update(_ device: ObjectPath, connected: Bool) {
        guard connected else {
            phones[device] = nil
            return
        }
        begin(device)
        phones[device]?.isConnected = true
    }

    /// Records a request of the device, even if bluetoothd has not reported its connection yet.
    mutating func touched(_ device: ObjectPath, mtu: Int?) {
        begin(device)
        phones[device]?.hasTouched = true
        if let mtu { phones[device]?.mtu = mtu }
    }

    /// Returns whether the device sent a request but is not connected: not reported yet, or already disconnected.
    func isGhost(_ device: ObjectPath) -> Bool {
        phones[device].map { !$0.isConnected } ?? false
    }

    enum LinkAnswer: Equatable, Sendable {
        case welcome
        /// The device must wait.
        case tooMany
        /// The device does not begin real links, so its connection must be ended. Returned once.
        case flood
    }

    /// Decides whether the device may begin a link. Any random value can look like the beginning of a link.
    mutating func mayBegin(_ device: ObjectPath) -> LinkAnswer {
        guard let phone = phones[device] else { return .tooMany }
        guard phone.begun < Self.linksPerConnection else {
            phones[device]?.begun += 1
            return phone.begun == Self.linksPerConnection ? .flood : .tooMany
        }
        guard phone.links < Self.linksAtOnce else { return .tooMany }
        phones[device]?.begun += 1
        return .welcome
    }

    /// Counts a new link. Returns its connection, or nil if the device has none.
    mutating func linkBegan(_ device: ObjectPath) -> UInt64? {
        phones[device]?.links += 1
        return phones[device]?.connection
    }

    /// Counts the end of a link. Returns whether its connection still exists and has no link left.
    mutating func linkEnded(_ device: ObjectPath, on connection: UInt64?) -> Bool {
        guard let phone = phones[device], phone.connection == connection else { return false }
        phones[device]?.links = max(0, phone.links - 1)
        return phone.links <= 1
    }

    /// Returns whether the connection still exists, has used the service, and has no link.
    func isIdle(_ device: ObjectPath, on connection: UInt64?) -> Bool {
        guard let phone = phones[device], phone.connection == connection else { return false }
        return phone.hasTouched && phone.links == 0
    }

    mutating func removeAll() { phones = [:] }
}
