import SiteLink
import SiteTrust

/// A code with which many boxes join. The database is asked for it when a box proves that it has the code's secret.
public struct BulkCode: Sendable, Equatable {
    /// The most boxes of one code.
    public static let placesLimit: UInt64 = 1_000
    /// The longest life of a code, in seconds: 90 days.
    public static let lifeLimit: UInt64 = 90 * 86_400
    /// The most boxes of one code within a minute. Each box writes a row, and anybody with the code can make many keys.
    public static let comingLimit: Int64 = 60
    /// The most codes that are valid at a time.
    public static let codesLimit: Int64 = 100
    /// The longest prefix of names, in bytes. A hyphen and the start of a fingerprint follow it.
    public static let nameLimit = 50

    public let places: Int64
    /// The first second in which the code is no longer valid.
    public let expiry: UInt64
    public let isRevoked: Bool
    /// The number of keys that have used the code: in total, and within the last minute.
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

/// The state of a key that has used a bulk code before.
public enum BulkVisit: Sendable, Equatable {
    case waits
    case rejected
    /// The key belongs to a box of the site.
    case approved
}

/// The decision about a box that shows a bulk code.
public enum BulkVerdict: Sendable, Equatable {
    /// The box's fingerprint was listed in advance.
    case joins
    /// The box takes a place and waits for an administrator.
    case waits
    case refused(SiteRefusal)

    /// - Parameters:
    ///   - visit: The state of the key if it used a bulk code before, or nil.
    ///   - other: The box that has the key, or nil if there is none.
    ///   - isListed: True if the fingerprint was listed with the code.
    public static func judge(
        _ code: BulkCode, visit: BulkVisit?, other: SiteBox?, isListed: Bool, at time: UInt64
    ) -> BulkVerdict {
        // The box has joined before. It continues with a normal link, if the site still serves it.
        if let other { return .refused(other.state == .removed ? .removed : .alreadyJoined) }
        // A waiting box keeps waiting for an administrator, even if the code has ended since.
        if visit == .waits { return .refused(.waiting) }
        guard visit == nil, !code.isRevoked else { return .refused(.codeUsed) }
        guard time < code.expiry else { return .refused(.codeExpired) }
        guard code.taken < code.places else { return .refused(.codeUsed) }
        guard code.lately < BulkCode.comingLimit else { return .refused(.notNow) }
        return isListed ? .joins : .waits
    }
}
