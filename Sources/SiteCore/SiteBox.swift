import SiteTrust

/// A box as stored by the site.
public struct SiteBox: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// A join code was issued.
        case invited
        case joined
        /// Two boxes have its key, and it is unknown which one is right.
        case suspended
        /// Permanent. Its key never joins again.
        case removed
    }

    /// The row number in the database. A name may be used again once its box is removed.
    public let id: Int64
    /// The administrators' name for the box: 1 to 64 printable ASCII characters without spaces.
    public let name: String
    /// Six ASCII digits, which people type at a phone.
    public let number: [UInt8]
    public let groups: SiteGroups
    public let state: State
    /// The X25519 public key, 32 bytes, or nil before the box has joined.
    public let key: [UInt8]?

    public init(id: Int64, name: String, number: [UInt8], groups: SiteGroups, state: State, key: [UInt8]?) {
        self.id = id
        self.name = name
        self.number = number
        self.groups = groups
        self.state = state
        self.key = key
    }

    /// The longest name, in bytes.
    public static let nameLimit = 64

    /// Returns whether a box may have that name.
    public static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...nameLimit).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
            && bytes.first != UInt8(ascii: "-")
    }
}
