import SiteLink
import SiteTrust

/// A join code. The database is asked for it when a box proves that it has the code's secret.
public struct JoinCodeRow: Sendable, Equatable {
    /// The key of the box that used the code, or nil if none did.
    public let usedBy: [UInt8]?
    /// The first second in which the code is no longer valid.
    public let expiry: UInt64
    public let box: SiteBox

    public init(usedBy: [UInt8]?, expiry: UInt64, box: SiteBox) {
        self.usedBy = usedBy
        self.expiry = expiry
        self.box = box
    }
}

/// The decision whether a box joins.
public enum JoinVerdict: Sendable, Equatable {
    case joins
    /// The box has joined with this code before, and the answer was lost.
    case hasJoined
    case refused(SiteRefusal)

    /// - Parameters:
    ///   - row: Nil if the code was revoked.
    ///   - key: The X25519 key that the box has proved, 32 bytes.
    ///   - other: The box that joined with the same key before, in any state.
    public static func judge(_ row: JoinCodeRow?, key: [UInt8], other: SiteBox?, at time: UInt64) -> JoinVerdict {
        guard let row else { return .refused(.codeUsed) }
        if row.usedBy == key, row.box.key == key, row.box.state == .joined { return .hasJoined }
        guard row.usedBy == nil, row.box.state == .invited else { return .refused(.codeUsed) }
        guard time < row.expiry else { return .refused(.codeExpired) }
        if let other { return .refused(other.state == .removed ? .removed : .alreadyJoined) }
        return .joins
    }
}
