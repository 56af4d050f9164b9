import Links
import Names
import SiteTrust
import VaultPort

/// A phone's stored data of a site, decoded.
public final class SiteAccess: Sendable, Equatable {
    public let known: KnownSite
    let site: PhoneSite
    let grant: ClaimedGrant
    private let entry: ClaimedRevocation?
    /// The site's key; nil unless the site holds the credential.
    let siteKey: KeptSiteKey?

    /// Decodes stored data, which was verified before it was stored.
    public init(_ known: KnownSite) throws(SiteProblem) {
        do throws(SiteError) {
            var tally = SignatureTally()
            var revokedBoxes: [SiteTrust.Revocation] = []
            for bytes in known.revokedBoxes { revokedBoxes.append(try SiteTrust.Revocation(kept: bytes)) }
            let head: RevocationHead? = if let kept = known.head { try RevocationHead(kept: kept) } else { nil }
            site = try PhoneSite(
                pin: try SitePin(kept: known.document, tally: &tally), revokedBoxes: revokedBoxes, head: head)
            grant = try ClaimedGrant(parsing: known.grant)
            entry = if let kept = known.entry { try ClaimedRevocation(parsing: kept) } else { nil }
            siteKey = if let kept = known.siteKey { try KeptSiteKey(kept: kept) } else { nil }
        } catch {
            throw .damaged
        }
        self.known = known
    }

    /// The beginning of the site's id, 12 hexadecimal digits.
    public var name: String { String(bytes: Self.hex(site.pin.site.tag)) }
    /// The site's id, 32 hexadecimal digits.
    public var siteID: String { String(bytes: Self.hex(site.pin.site.bytes)) }
    /// Returns whether the site has this id, 16 bytes.
    public func isOf(_ site: [UInt8]) -> Bool { self.site.pin.site.bytes == site }
    public var user: [UInt8] { grant.facts.user }
    /// The keeper of the password.
    public var mode: CredentialMode { grant.facts.mode == .siteHeld ? .siteHeld : .phoneHeld }
    public var groups: [UInt16] { grant.facts.groups.numbers }
    /// The first second since 1970 in which the grant is no longer valid.
    public var expiry: UInt64 { grant.facts.expiry }
    /// The text that the site's administrator needs to add this phone or renew its grant.
    public var phoneCode: String { Self.phoneCode(known.phoneKey) }

    public static func phoneCode(_ phoneKey: [UInt8]) -> String {
        SitePhoneCode(phoneKey: phoneKey).map { String(bytes: $0.text) } ?? ""
    }

    /// The end of a revocation of the grant, in seconds since 1970; nil if the grant is not revoked. A revocation stops
    /// counting if a document drops its issuer or begins a new generation, or if it does not cover a newer grant.
    public var stoppedUntil: UInt64? {
        guard let entry, Self.counts(entry, site.pin, grant.facts) else { return nil }
        return entry.facts.expiry
    }

    #if !hasFeature(Embedded)
        /// The user's other phones that were recently enrolled by a login at a box, as far as boxes have reported.
        public var enrolledPhones: [EnrolledPhone] { EnrolledPhone.all(in: known.revokedBoxes, but: self) }
    #endif

    static func counts(_ entry: ClaimedRevocation, _ pin: SitePin, _ grant: GrantFacts) -> Bool {
        entry.facts.generation == pin.facts.generation && pin.facts.issuer(entry.issuer)?.role == .revocations
            && entry.facts.covers(grant)
    }

    /// Returns the site's box with this number, before a box that shows the number is verified.
    public func box(_ number: String) -> KnownBox {
        KnownBox(
            id: known.id, boxID: number.bytes, boxKey: [], authorityKey: [], highestSerial: 0, user: user, label: [],
            mode: mode, confirmed: true, hasCredential: known.hasCredential, hasDeviceSecret: false, site: known)
    }

    /// Finds the site whose id begins with `name`, or the only site for nil.
    public static func find(_ name: String?, among sites: [SiteAccess]) throws(PhoneError) -> SiteAccess {
        guard !sites.isEmpty else { throw .site(.noSites) }
        var matching = sites
        if let name {
            matching = sites.filter { !name.bytes.isEmpty && $0.siteID.bytes.starts(with: name.bytes) }
            guard !matching.isEmpty else { throw .site(.unknownSite(name)) }
        }
        guard let only = matching.first, matching.count == 1 else {
            throw .site(.severalSites(matching.map { $0.name }))
        }
        return only
    }

    private static func hex(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] { text.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        }
        return text
    }

    public static func == (left: SiteAccess, right: SiteAccess) -> Bool {
        left.known == right.known
    }
}
