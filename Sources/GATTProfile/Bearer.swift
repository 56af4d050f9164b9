/// What carries the segments of a channel over Bluetooth. Each bearer has a handshake of its own.
public enum Bearer: UInt8, Sendable, Hashable {
    case gatt = 1
    case l2cap = 2

    /// The most bytes of one segment. Over GATT a value is at most 244, of which two are the link's tag: stock BlueZ
    /// 5.66 silently drops values over 510 bytes, and 244 fill one packet of a link layer with data length extension.
    /// Over L2CAP, a window of segments has to fit the kernel's receive buffer (see L2CAPSocket in Bluetooth): Linux 6.1
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
        case .gatt: min(max(mtu, GATTService.attMTUBytes.lowerBound) - 3 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: min(max(mtu, GATTService.attMTUBytes.lowerBound), segmentLimitBytes)
        }
    }

    /// The same for a box. bluetoothd gathers notifications of ten milliseconds into one Multiple Handle Value
    /// Notification where the phone can read it; each value's length is two bytes more there (volume 3, part F, 3.4.7.4),
    /// and what no longer fits is cut off without a word (5.66, src/shared/gatt-server.c).
    public func boxSegmentBytes(mtu: Int) -> Int {
        switch self {
        case .gatt: min(max(mtu, GATTService.attMTUBytes.lowerBound) - 5 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: segmentBytes(mtu: mtu)
        }
    }
}
