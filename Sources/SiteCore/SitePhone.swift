import Names
import Secrets
import SiteTrust

/// A phone as stored by the site.
public struct SitePhone: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// Permanent. Its key gets no more grants.
        case revoked
    }

    /// Seconds since 1970.
    public struct Times: Sendable, Equatable {
        public let added: UInt64
        /// When the newest grant was issued.
        public let issued: UInt64
        /// When a box last got a renewed grant for the phone, or nil if none did.
        public let renewed: UInt64?

        public init(added: UInt64, issued: UInt64, renewed: UInt64?) {
            self.added = added
            self.issued = issued
            self.renewed = renewed
        }
    }

    /// The row number in the database.
    public let id: Int64
    /// The X25519 public key, 32 bytes.
    public let key: [UInt8]
    public let owner: SiteUser
    /// The administrators' name for the phone, at most 64 bytes. It may be empty.
    public let label: String
    public let groups: SiteGroups
    public let state: State
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

    /// The longest label, in bytes.
    public static let labelLimit = 64

    /// Returns the ID by which administrators and all boxes of the site know the phone with that key (32 bytes).
    public static func deviceID(ofKey key: [UInt8], at site: SiteID) -> [UInt8] {
        site.deviceID(ofPhone: key)
    }

    /// Returns whether a phone may have that label. Control characters and line breaks are not allowed.
    public static func isLabel(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.isEmpty || bytes.count <= labelLimit && UserName.isPrintable(bytes)
    }

    /// Returns whether a text for people has no control characters.
    public static func isPrintable(_ text: String) -> Bool { text.isEmpty || UserName.isPrintable(Array(text.utf8)) }

    /// Returns whether a user of the site may have that name, in bytes.
    public static func isUserName(_ name: [UInt8]) -> Bool {
        name.count <= GrantFacts.userBytesLimit && UserName.isAllowed(name) && UserName.isPrintable(name)
    }
}
