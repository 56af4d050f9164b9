/// The GATT table. It is frozen, because phones cache it for days: versions are told apart inside the protocol.
public enum GATTProfile {
    public static let service = "bf52e2d6-ff52-43cb-99a0-872fa3dde94f"
    /// Read: protocol version, flags, box certificate, authority key id.
    public static let identityCharacteristic = "f438775d-e605-42b8-abe7-6e31ed52ea87"
    /// Write command from the phone, notification from the box: segments, see docs/protocol/segmentation.md.
    public static let transferCharacteristic = "a82ae020-e171-42f8-a31c-5f612926f041"
    /// Read: the PSM of the L2CAP channel, little-endian. This UUID is the one CoreBluetooth uses for it.
    public static let psmCharacteristic = "abdd3056-28fa-441d-a470-55a75a52553a"

    /// ATT MTU, in bytes: the least of Bluetooth LE (Core Specification, volume 3, part G, 5.2.1), and the most that
    /// BlueZ negotiates.
    public static let attMTUBytes = 23...517
    /// PSMs that are assigned as they are needed (volume 3, part A, 4.22); the box's channel has one of them.
    public static let dynamicPSMs: ClosedRange<UInt16> = 0x0080...0x00FF
    /// A characteristic's value is at most this long (volume 3, part F, 3.2.9).
    public static let valueBytes = 512
}

/// What carries the segments of a channel. Each bearer has a handshake of its own.
public enum Bearer: UInt8, Sendable, Hashable {
    case gatt = 1
    case l2cap = 2

    /// The most bytes of one segment. Over GATT a value is at most 244, of which two are the link's tag: stock BlueZ
    /// 5.66 silently drops values over 510 bytes, and 244 fill one packet of a link layer with data length extension.
    /// Over L2CAP, a window of segments has to fit the kernel's receive buffer (see L2CAPSocket in EventLoop): Linux 6.1
    /// gives credits for what it received, read or not.
    public var segmentLimitBytes: Int {
        switch self {
        case .gatt: 244 - LinkTag.byteCount
        case .l2cap: 2_048
        }
    }

    /// The most bytes of a segment that may be sent at this MTU: over GATT three bytes of each ATT packet are its own
    /// (volume 3, part F, 3.4.5.3 and 3.4.7.1), and two the link's tag.
    public func segmentBytes(mtu: Int) -> Int {
        switch self {
        case .gatt: min(max(mtu, GATTProfile.attMTUBytes.lowerBound) - 3 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: min(max(mtu, GATTProfile.attMTUBytes.lowerBound), segmentLimitBytes)
        }
    }

    /// The same for a box. bluetoothd gathers notifications of ten milliseconds into one Multiple Handle Value
    /// Notification where the phone can read it; each value's length is two bytes more there (volume 3, part F, 3.4.7.4),
    /// and what no longer fits is cut off without a word (5.66, src/shared/gatt-server.c).
    public func boxSegmentBytes(mtu: Int) -> Int {
        switch self {
        case .gatt: min(max(mtu, GATTProfile.attMTUBytes.lowerBound) - 5 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: segmentBytes(mtu: mtu)
        }
    }
}
