import DBus
import GATTProfile

/// Which devices are connected, and which of them have touched the service. Pure.
struct ConnectedPhones: Sendable {
    struct Phone: Sendable {
        /// Tells this connection from an earlier one of the same device: what ends late is none of its business.
        let connection: UInt64
        var isConnected = false
        /// It has read, written or subscribed.
        var hasTouched = false
        var mtu = GATTService.attMTUBytes.lowerBound
        var links = 0
        /// Links that it has begun on this connection.
        var begun = 0
    }

    static let phoneLimit = 256
    /// Links that a connection may begin, one after the other. A phone begins one for each thing it is asked to do, and a
    /// connection without a link is ended.
    static let linksPerConnection = 64
    /// Links over one connection at once.
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

    /// A request of the device. It makes known one whose connection bluetoothd has not told of yet.
    mutating func touched(_ device: ObjectPath, mtu: Int?) {
        begin(device)
        phones[device]?.hasTouched = true
        if let mtu { phones[device]?.mtu = mtu }
    }

    /// Whether this device asked for something and is not connected: its connection was not told of yet, or has ended.
    func isGhost(_ device: ObjectPath) -> Bool {
        phones[device].map { !$0.isConnected } ?? false
    }

    enum LinkAnswer: Equatable, Sendable {
        case welcome
        /// Not now.
        case tooMany
        /// What it begins are no links: its connection is to be ended. Said once.
        case flood
    }

    /// Whether the device may begin a link. Each value of rubbish can look like one.
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

    /// The connection on which the device has one link more; nil: it has none.
    mutating func linkBegan(_ device: ObjectPath) -> UInt64? {
        phones[device]?.links += 1
        return phones[device]?.connection
    }

    /// A link of a connection has ended. Whether that connection is still there, and has no link now.
    mutating func linkEnded(_ device: ObjectPath, on connection: UInt64?) -> Bool {
        guard let phone = phones[device], phone.connection == connection else { return false }
        phones[device]?.links = max(0, phone.links - 1)
        return phone.links <= 1
    }

    /// Whether a connection is still there, has touched the service, and has no link.
    func isIdle(_ device: ObjectPath, on connection: UInt64?) -> Bool {
        guard let phone = phones[device], phone.connection == connection else { return false }
        return phone.hasTouched && phone.links == 0
    }

    mutating func removeAll() { phones = [:] }
}
