/// The description of a Bluetooth link in the handshake's prologue: bearer and PSM in three bytes.
public struct BearerBinding: Sendable, Hashable {
    public let bearer: Bearer
    /// The PSM of an L2CAP channel, 0 on GATT.
    public let psm: UInt16

    public static let gatt = BearerBinding(bearer: .gatt, psm: 0)

    public static func l2cap(psm: UInt16) -> BearerBinding { BearerBinding(bearer: .l2cap, psm: psm) }

    private init(bearer: Bearer, psm: UInt16) {
        self.bearer = bearer
        self.psm = psm
    }

    /// Reads `bytes`. Returns nil for the binding of another kind of radio.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 3, let bearer = Bearer(rawValue: bytes[0]) else { return nil }
        self.init(bearer: bearer, psm: UInt16(bytes[1]) << 8 | UInt16(bytes[2]))
    }

    /// The bearer, then the PSM in big-endian order.
    public var bytes: [UInt8] {
        [bearer.rawValue, UInt8(truncatingIfNeeded: psm >> 8), UInt8(truncatingIfNeeded: psm)]
    }

    /// The name for users.
    public var name: String {
        switch bearer {
        case .gatt: "GATT"
        case .l2cap: "L2CAP (PSM \(psm))"
        }
    }
}
