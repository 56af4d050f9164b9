/// A site that this phone is of: its key there, and what was verified and kept. A reference, since each box of the site has it: a host
/// without sites carries no more than that about.
public final class KnownSite: Equatable, Sendable {
    /// Boxes that are remembered as having the grant.
    public static let holdersLimit = 256

    /// Names the row; 16 random bytes, which name no box's.
    public let id: [UInt8]
    /// The phone's X25519 public key for the site, 32 bytes.
    public let phoneKey: [UInt8]
    /// The site document that is the pin.
    public let document: [UInt8]
    public let grant: [UInt8]
    /// The revocation that takes the grant back, signed by the site: nothing is used while it counts.
    public let entry: [UInt8]?
    public let hasCredential: Bool
    /// The newest head that a box has told of.
    public let head: [UInt8]?
    /// Revocations of boxes that boxes have told of, at most 1,024.
    public let revokedBoxes: [[UInt8]]
    /// The site's key and its number, 40 bytes; there where the site holds the credential.
    public let siteKey: [UInt8]?
    /// Keys of boxes that have taken the grant, at most `holdersLimit`.
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

    /// The same with what a box has told of the site.
    public func with(document: [UInt8], head: [UInt8]?, revokedBoxes: [[UInt8]]) -> KnownSite {
        KnownSite(
            id: id, phoneKey: phoneKey, document: document, grant: grant, entry: entry, hasCredential: hasCredential,
            head: head, revokedBoxes: revokedBoxes, holders: holders)
    }

    /// The same with another grant, which no box has.
    public func with(grant: [UInt8]) -> KnownSite {
        KnownSite(
            id: id, phoneKey: phoneKey, document: document, grant: grant, entry: entry, hasCredential: hasCredential,
            head: head, revokedBoxes: revokedBoxes, holders: [])
    }

    public static func == (left: KnownSite, right: KnownSite) -> Bool {
        left === right
            || left.id == right.id && left.phoneKey == right.phoneKey && left.document == right.document
                && left.grant == right.grant && left.entry == right.entry && left.hasCredential == right.hasCredential
                && left.head == right.head && left.revokedBoxes == right.revokedBoxes && left.siteKey == right.siteKey
                && left.holders == right.holders
    }
}

/// A key that a phone has made for a site; the private half stays in the vault.
public struct SiteKey: Equatable, Sendable {
    /// Names the row.
    public let id: [UInt8]
    /// X25519, 32 bytes.
    public let publicKey: [UInt8]

    public init(id: [UInt8], publicKey: [UInt8]) {
        self.id = id
        self.publicKey = publicKey
    }
}

/// What a site's administrator hands to a phone, once it was verified.
public struct GrantedSite: Equatable, Sendable {
    /// The site's id, 16 bytes.
    public let site: [UInt8]
    public let document: [UInt8]
    public let grant: [UInt8]
    /// What takes the grant back still.
    public let entry: [UInt8]?
    /// The site's key and its number, 40 bytes, where the site is to hold the credential.
    public let siteKey: [UInt8]?

    public init(site: [UInt8], document: [UInt8], grant: [UInt8], entry: [UInt8]?, siteKey: [UInt8]? = nil) {
        self.siteKey = siteKey
        self.site = site
        self.document = document
        self.grant = grant
        self.entry = entry
    }
}
