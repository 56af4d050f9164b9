import SiteLink
import SiteTrust

/// A code with which many boxes join, as the database has it when one of them shows that it has the code's secret.
public struct BulkCode: Sendable, Equatable {
    /// Most boxes of one code.
    public static let placesLimit: UInt64 = 1_000
    /// Longest life of one, in seconds: 90 days.
    public static let lifeLimit: UInt64 = 90 * 86_400
    /// Boxes that may come with one code within a minute. Each writes a row, and whoever has the code can make keys without end.
    public static let comingLimit: Int64 = 60
    /// Codes that are good at a time.
    public static let codesLimit: Int64 = 100
    /// Longest beginning of names, in bytes: behind it come a hyphen and the beginning of a fingerprint.
    public static let nameLimit = 50

    public let places: Int64
    /// The first second in which it is no good any more.
    public let expiry: UInt64
    public let isRevoked: Bool
    /// Keys that have come with it, and those of the last minute.
    public let taken: Int64
    public let lately: Int64

    public init(places: Int64, expiry: UInt64, isRevoked: Bool, taken: Int64, lately: Int64) {
        self.places = places
        self.expiry = expiry
        self.isRevoked = isRevoked
        self.taken = taken
        self.lately = lately
    }
}

/// A key that has come with a bulk code before.
public enum BulkVisit: Sendable, Equatable {
    case waits
    case rejected
    /// It is a box's.
    case approved
}

/// What becomes of a box that shows a bulk code.
public enum BulkVerdict: Sendable, Equatable {
    /// Its fingerprint was listed in advance.
    case joins
    /// It takes a place, and waits for an administrator.
    case waits
    case refused(SiteRefusal)

    /// - Parameters:
    ///   - visit: What became of the key when it came with this code; nil: it never did.
    ///   - other: The box that has the key; nil: none.
    ///   - isListed: The fingerprint was listed with the code.
    public static func judge(
        _ code: BulkCode, visit: BulkVisit?, other: SiteBox?, isListed: Bool, at time: UInt64
    ) -> BulkVerdict {
        // It goes on with a link, where it is served still.
        if let other { return .refused(other.state == .removed ? .removed : .alreadyJoined) }
        // Whatever became of the code since: it is in no administrator's way.
        if visit == .waits { return .refused(.waiting) }
        guard visit == nil, !code.isRevoked else { return .refused(.codeUsed) }
        guard time < code.expiry else { return .refused(.codeExpired) }
        guard code.taken < code.places else { return .refused(.codeUsed) }
        guard code.lately < BulkCode.comingLimit else { return .refused(.notNow) }
        return isListed ? .joins : .waits
    }
}
