import PhoneMessages
import SecureChannel
import SiteTrust
import VaultPort

/// What an errand asks about sites: whom to believe, what to show, and what of a box's words the site has signed. A host that never makes one
/// links nothing of SiteTrust.
public final class SiteDesk: Sendable {
    /// Seconds since 1970, by the phone's calendar, at a time since boot.
    let unixSeconds: UInt64
    let readAt: Duration
    /// The key of the box that shows an identity, if it is one of the site's, with this number.
    let believe:
        @Sendable (KnownSite, BoxIdentity, _ number: [UInt8], _ clock: UInt64) -> Result<[UInt8], SiteBoxProblem>
    /// The grant, whole or by its hash; nil where what is kept is damaged.
    let shown: @Sendable (KnownSite, _ whole: Bool) -> ShownGrant?
    /// Whether the site has signed this entry, and takes back this phone's grant by it.
    let takesBack: @Sendable (KnownSite, _ entry: [UInt8], _ clock: UInt64) -> Bool
    /// Whether the site has signed this grant, and it takes the place of the one that is kept.
    let renews: @Sendable (KnownSite, _ grant: [UInt8], _ clock: UInt64) -> Bool
    /// What a box is asked about a part of what the phone holds; nil behind the last one.
    let question: @Sendable (KnownSite, _ part: Int, _ takesNotices: Bool) -> [UInt8]?
    /// What was told in answer; `takesNotices` as it was asked.
    let learn: @Sendable (KnownSite, [ToldNews], _ takesNotices: Bool) -> NewsVerdict
    /// An exchange of site documents with a box of one of these.
    let exchange: @Sendable ([KnownSite], _ offering: [UInt8]?) -> DocumentExchange?
    /// What is asked about credentials that a site holds; nil: this phone asks nothing about them.
    let credentials: SiteCredentials?

    /// - Parameters:
    ///   - unixSeconds: The calendar's time now, in seconds since 1970.
    ///   - now: The same moment as time since boot.
    public init(unixSeconds: UInt64, at now: Duration, credentials: SiteCredentials? = nil) {
        self.unixSeconds = unixSeconds
        readAt = now
        believe = Self.believe
        shown = Self.shown
        takesBack = Self.takesBack
        renews = Self.renews
        exchange = Self.exchange
        question = Self.question
        learn = Self.learn
        self.credentials = credentials
    }

    /// The calendar's time at a time since boot.
    func clock(at now: Duration) -> UInt64 {
        unixSeconds + UInt64(max(0, (now - readAt).components.seconds))
    }

    private static func believe(
        _ known: KnownSite, _ identity: BoxIdentity, _ number: [UInt8], _ clock: UInt64
    ) -> Result<[UInt8], SiteBoxProblem> {
        guard let bytes = identity.siteCertificate, let claimed = try? ClaimedSiteBoxCertificate(parsing: bytes)
        else {
            return .failure(.noCertificate)
        }
        guard let access = try? SiteAccess(known) else { return .failure(.otherSite) }
        var tally = SignatureTally()
        do throws(BoxCertificateRefusal) {
            let check = BoxCertificateCheck(site: access.site, groups: access.grant.facts.groups)
            let certificate = try check.admit(
                claimed, boxKey: identity.certificate.boxKey, boxID: number, clock: clock, tally: &tally)
            return .success(certificate.facts.boxKey)
        } catch {
            return .failure(error.problem)
        }
    }

    private static func shown(_ known: KnownSite, _ whole: Bool) -> ShownGrant? {
        guard let grant = try? ClaimedGrant(parsing: known.grant) else { return nil }
        return whole ? .whole(grant.bytes) : .hash(grant.hash)
    }

    private static func takesBack(_ known: KnownSite, _ entry: [UInt8], _ clock: UInt64) -> Bool {
        guard let access = try? SiteAccess(known), let claimed = try? ClaimedRevocation(parsing: entry) else {
            return false
        }
        var (site, tally) = (access.site, SignatureTally())
        guard let taken = try? site.take(claimed, tally: &tally) else { return false }
        // By what has expired, the site says nothing of today; and what it stops would be destroyed at once.
        return taken.facts.covers(access.grant.facts) && site.seconds(clock: clock) < taken.facts.expiry
    }

    private static func renews(_ known: KnownSite, _ grant: [UInt8], _ clock: UInt64) -> Bool {
        guard let access = try? SiteAccess(known), let claimed = try? ClaimedGrant(parsing: grant) else {
            return false
        }
        let (old, new) = (access.grant.facts, claimed.facts)
        guard new.user == old.user, new.userID == old.userID, new.mode == old.mode, new.expiry > old.expiry else {
            return false
        }
        var tally = SignatureTally()
        let time = access.site.seconds(clock: clock)
        return (try? claimed.verify(access.site.pin, phoneKey: old.phoneKey, at: time, tally: &tally)) != nil
    }
}

extension BoxCertificateRefusal {
    fileprivate var problem: SiteBoxProblem {
        switch self {
        case .otherSite: .otherSite
        case .otherKey: .otherKey
        case .otherBoxID: .otherNumber
        case .unknownIssuer: .unknownIssuer
        case .wrongRole, .notSigned: .notSigned
        case .issuerExpired, .expired: .expired
        case .otherGroups: .otherGroups
        case .boxRevoked: .revoked
        }
    }
}
