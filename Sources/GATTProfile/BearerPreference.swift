/// The bearer that the user prefers. The phone's radio is created with it.
public enum BearerPreference: Sendable, Hashable {
    /// Uses GATT, but L2CAP for large transfers or after GATT has been slow.
    case automatic
    case gatt
    case l2cap

    /// The message if L2CAP is preferred but missing. It follows the box's name.
    public static let withoutL2CAP = "has no L2CAP channel for this phone now; the phone uses GATT, which is slower"

    /// Returns the bearer to try for a channel. GATT exists on every box and needs no extra read. L2CAP is much faster.
    public func bearer(forMuch isMuch: Bool) -> Bearer {
        switch self {
        case .gatt: .gatt
        case .l2cap: .l2cap
        case .automatic: isMuch ? .l2cap : .gatt
        }
    }
}
