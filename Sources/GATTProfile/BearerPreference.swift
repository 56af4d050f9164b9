/// Which bearer a person wants. A phone's radio is made with it.
public enum BearerPreference: Sendable, Hashable {
    /// GATT, and L2CAP for much, or where GATT has proved slow.
    case automatic
    case gatt
    case l2cap

    /// What a person is told where L2CAP was wanted; it goes behind the box's name.
    public static let withoutL2CAP = "has no L2CAP channel for this phone now; the phone uses GATT, which is slower"

    /// What to try for a channel. GATT is there on every box and costs no further read; L2CAP carries much faster.
    public func bearer(forMuch isMuch: Bool) -> Bearer {
        switch self {
        case .gatt: .gatt
        case .l2cap: .l2cap
        case .automatic: isMuch ? .l2cap : .gatt
        }
    }
}
