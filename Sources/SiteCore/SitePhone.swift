import Names
import Secrets
import SiteTrust

/// A phone as the site keeps it.
public struct SitePhone: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// For good: its key gets no grant any more.
        case revoked
    }

    /// Seconds since 1970.
    public struct Times: Sendable, Equatable {
        public let added: UInt64
        /// When the newest grant was issued.
        public let issued: UInt64
        /// When a box got a grant for it; nil: never.
        public let renewed: UInt64?

        public init(added: UInt64, issued: UInt64, renewed: UInt64?) {
            self.added = added
            self.issued = issued
            self.renewed = renewed
        }
    }

    /// The row's number in the database.
    public let id: Int64
    /// X25519 public key, 32 bytes.
    public let key: [UInt8]
    public let owner: SiteUser
    /// What administrators call it, at most 64 bytes; may be empty.
    public let label: String
    public let groups: SiteGroups
    public let state: State
    /// The newest one.
    public let grant: ClaimedGrant
    public let times: Times

    public init(
        id: Int64, key: [UInt8], owner: SiteUser, label: String, groups: SiteGroups, state: State, grant: ClaimedGrant,
        times: Times
    ) {
        self.id = id
        self.key = key
        self.owner = owner
        self.label = label
        self.groups = groups
        self.state = state
        self.grant = grant
        self.times = times
    }

    /// Longest label, in bytes.
    public static let labelLimit = 64

    /// The id by which every box of the site knows the phone with that key (32 bytes), and administrators too.
    public static func deviceID(ofKey key: [UInt8], at site: SiteID) -> [UInt8] {
        site.deviceID(ofPhone: key)
    }

    /// Whether a phone may have that label: no control characters, and none that begins a line.
    public static func isLabel(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.isEmpty || bytes.count <= labelLimit && UserName.isPrintable(bytes)
    }

    /// Whether a text for people has no control characters.
    public static func isPrintable(_ text: String) -> Bool { text.isEmpty || UserName.isPrintable(Array(text.utf8)) }

    /// Whether a user of the site may have that name, in bytes.
    public static func isUserName(_ name: [UInt8]) -> Bool {
        name.count <= GrantFacts.userBytesLimit && UserName.isAllowed(name) && UserName.isPrintable(name)
    }
}
