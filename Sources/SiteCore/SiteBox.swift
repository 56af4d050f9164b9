import SiteTrust

/// A box as the site keeps it.
public struct SiteBox: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// A join code was given out.
        case invited
        case joined
        /// Nobody knows which of two boxes with its key is the right one.
        case suspended
        /// For good: its key never joins again.
        case removed
    }

    /// The row's number in the database: a name may be used again once its box is removed.
    public let id: Int64
    /// What administrators call it: 1 to 64 printable ASCII characters without spaces.
    public let name: String
    /// Six ASCII digits, which people at a phone type.
    public let number: [UInt8]
    public let groups: SiteGroups
    public let state: State
    /// X25519 public key, 32 bytes; nil before it has joined.
    public let key: [UInt8]?

    public init(id: Int64, name: String, number: [UInt8], groups: SiteGroups, state: State, key: [UInt8]?) {
        self.id = id
        self.name = name
        self.number = number
        self.groups = groups
        self.state = state
        self.key = key
    }

    /// Longest name, in bytes.
    public static let nameLimit = 64

    /// Whether a box may have that name.
    public static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...nameLimit).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
            && bytes.first != UInt8(ascii: "-")
    }
}
