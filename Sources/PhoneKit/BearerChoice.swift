import Transport

/// Which bearer a person wants.
public enum BearerPreference: Sendable, Hashable {
    /// GATT, and L2CAP for much, or where GATT has proved slow.
    case automatic
    case gatt
    case l2cap
}

/// Which bearer the next channel takes. Pure.
///
/// GATT is there on every box and costs no further read; L2CAP carries much faster.
struct BearerChoice: Sendable, Equatable {
    /// From more bytes than this on, either way, L2CAP.
    static let fewBytes = 4_096
    /// A handshake over GATT that took longer than this one is slow: there are 96 and 48 bytes in it, and it takes two
    /// connection intervals of some 30 ms where nothing is wrong.
    static let slowHandshake: Duration = .milliseconds(500)

    let preference: BearerPreference
    private(set) var isGATTSlow = false

    init(_ preference: BearerPreference) {
        self.preference = preference
    }

    /// What to try for a channel that will carry so many bytes.
    func bearer(for bytes: Int) -> Bearer {
        switch preference {
        case .gatt: .gatt
        case .l2cap: .l2cap
        case .automatic: bytes > Self.fewBytes || isGATTSlow ? .l2cap : .gatt
        }
    }

    /// How long a handshake took, from message 1 to message 2.
    mutating func measured(_ handshake: Duration, on bearer: Bearer) {
        if bearer == .gatt { isGATTSlow = handshake > Self.slowHandshake }
    }
}
