/// A site of this phone: the phone's key there, and verified data. It is a class because each of the site's boxes
/// refers to it: hosts without sites then carry only a pointer.
public final class KnownSite: Equatable, Sendable {
    /// Maximum number of boxes that are remembered as holders of the grant.
    public static let holdersLimit = 256

    /// The row's ID; 16 random bytes that differ from every box's ID.
    public let id: [UInt8]
    /// The phone's X25519 public key for the site, 32 bytes.
    public let phoneKey: [UInt8]
    /// The site document, which is the pin.
    public let document: [UInt8]
    public let grant: [UInt8]
    /// The site's signed revocation of the grant. While it is valid, nothing of the site is used.
    public let entry: [UInt8]?
    public let hasCredential: Bool
    /// The newest signed status that a box sent.
    public let head: [UInt8]?
    /// Revocations of boxes that boxes sent, at most 1,024.
    public let revokedBoxes: [[UInt8]]
    /// The site key and its number, 40 bytes, if the site holds the credential.
    public let siteKey: [UInt8]?
    /// Keys of boxes that have accepted the grant, at most `holdersLimit`.
    public let holders: [[UInt8]]

    public init(
        id: [UInt8], phoneKey: [UInt8], document: [UInt8], grant: [UInt8], entry: [UInt8]?, hasCredential: Bool,
        head: [UInt8]? = nil, revokedBoxes: [[UInt8]] = [], siteKey: [UInt8]? = nil,
        holders: [[UInt8]]
    ) {
        self.siteKey = siteKey
        self.id = id
        self.phoneKey = phoneKey
        self.document = document
        self.grant = grant
        self.entry = entry
        self.hasCredential = hasCredential
        self.head = head
        self.revokedBoxes = revokedBoxes
        self.holders = holders
    }

    /// Returns a copy with the news that a box sent about the site.
    public func with(document: [UInt8], head: [UInt8]?, revokedBoxes: [[UInt8]]) -> KnownSite {
        KnownSite(
            id: id, phoneKey: phoneKey, document: document, grant: grant, entry: entry, hasCredential: hasCredential,
            head: head, revokedBoxes: revokedBoxes, siteKey: siteKey, holders: holders)
    }

    /// Returns a copy with another grant, which no box has yet.
    public func with(grant: [UInt8]) -> KnownSite {
        KnownSite(
            id: id, phoneKey: phoneKey, document: document, grant: grant, entry: entry, hasCredential: hasCredential,
            head: head, revokedBoxes: revokedBoxes, siteKey: siteKey, holders: [])
    }

    public static func == (left: KnownSite, right: KnownSite) -> Bool {
        left === right
            || left.id == right.id && left.phoneKey == right.phoneKey && left.document == right.document
                && left.grant == right.grant && left.entry == right.entry && left.hasCredential == right.hasCredential
                && left.head == right.head && left.revokedBoxes == right.revokedBoxes && left.siteKey == right.siteKey
                && left.holders == right.holders
    }
}

/// A key that a phone made for a site. The private half stays in the vault.
public struct SiteKey: Equatable, Sendable {
    /// The row's ID.
    public let id: [UInt8]
    /// X25519 key, 32 bytes.
    public let publicKey: [UInt8]

    public init(id: [UInt8], publicKey: [UInt8]) {
        self.id = id
        self.publicKey = publicKey
    }
}

/// Verified data that a site's administrator gives to a phone.
public struct GrantedSite: Equatable, Sendable {
    /// The site's ID, 16 bytes.
    public let site: [UInt8]
    public let document: [UInt8]
    public let grant: [UInt8]
    /// The stored revocation, if it still applies to the grant.
    public let entry: [UInt8]?
    /// The site key and its number, 40 bytes, if the site shall hold the credential.
    public let siteKey: [UInt8]?

    public init(site: [UInt8], document: [UInt8], grant: [UInt8], entry: [UInt8]?, siteKey: [UInt8]? = nil) {
        self.siteKey = siteKey
        self.site = site
        self.document = document
        self.grant = grant
        self.entry = entry
    }
}
