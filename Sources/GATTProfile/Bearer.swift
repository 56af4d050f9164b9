/// The carrier of a channel's segments over Bluetooth. Each bearer has its own handshake.
public enum Bearer: UInt8, Sendable, Hashable {
    case gatt = 1
    case l2cap = 2

    /// The most bytes of one segment. Over GATT, a value has at most 244 bytes, including the link's two-byte tag. That
    /// fills one packet of a link layer with data length extension. BlueZ 5.66 silently drops values over 510 bytes.
    /// Over L2CAP, a window of segments must fit the kernel's receive buffer (see L2CAPSocket in Bluetooth). Linux 6.1
    /// grants credits for received bytes, even if they are unread.
    public var segmentLimitBytes: Int {
        switch self {
        case .gatt: 244 - LinkTag.byteCount
        case .l2cap: 2_048
        }
    }

    /// Returns the most bytes of a segment that fit this MTU. Over GATT, each ATT packet needs three bytes for itself
    /// (volume 3, part F, 3.4.5.3 and 3.4.7.1), and two for the link's tag.
    public func segmentBytes(mtu: Int) -> Int {
        switch self {
        case .gatt: min(max(mtu, GATTService.attMTUBytes.lowerBound) - 3 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: min(max(mtu, GATTService.attMTUBytes.lowerBound), segmentLimitBytes)
        }
    }

    /// Returns the most bytes of a segment that a box may send at this MTU. If the phone supports it, bluetoothd
    /// combines the notifications of ten milliseconds into one Multiple Handle Value Notification. In that packet, each
    /// value needs two more bytes for its length (volume 3, part F, 3.4.7.4). bluetoothd silently truncates values that
    /// do not fit (5.66, src/shared/gatt-server.c).
    public func boxSegmentBytes(mtu: Int) -> Int {
        switch self {
        case .gatt: min(max(mtu, GATTService.attMTUBytes.lowerBound) - 5 - LinkTag.byteCount, segmentLimitBytes)
        case .l2cap: segmentBytes(mtu: mtu)
        }
    }
}
