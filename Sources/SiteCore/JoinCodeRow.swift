import SiteLink
import SiteTrust

/// What the database has of a join code at the moment when a box shows that it has the code's secret.
public struct JoinCodeRow: Sendable, Equatable {
    /// The key of the box that used it; nil: nobody yet.
    public let usedBy: [UInt8]?
    /// The first second in which it is no good any more.
    public let expiry: UInt64
    public let box: SiteBox

    public init(usedBy: [UInt8]?, expiry: UInt64, box: SiteBox) {
        self.usedBy = usedBy
        self.expiry = expiry
        self.box = box
    }
}

/// Whether a box joins.
public enum JoinVerdict: Sendable, Equatable {
    case joins
    /// It has joined with this very code: the answer was lost on its way.
    case hasJoined
    case refused(SiteRefusal)

    /// - Parameters:
    ///   - row: Nil: the code was taken back.
    ///   - key: The key (X25519, 32 bytes) that the box has shown.
    ///   - other: The box that has joined with the same key before, whatever became of it.
    public static func judge(_ row: JoinCodeRow?, key: [UInt8], other: SiteBox?, at time: UInt64) -> JoinVerdict {
        guard let row else { return .refused(.codeUsed) }
        if row.usedBy == key, row.box.key == key, row.box.state == .joined { return .hasJoined }
        guard row.usedBy == nil, row.box.state == .invited else { return .refused(.codeUsed) }
        guard time < row.expiry else { return .refused(.codeExpired) }
        if let other { return .refused(other.state == .removed ? .removed : .alreadyJoined) }
        return .joins
    }
}
