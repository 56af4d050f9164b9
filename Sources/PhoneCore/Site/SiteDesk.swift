import PhoneMessages
import SecureChannel
import SiteTrust
import VaultPort

/// An operation's access to site trust: which boxes to trust, what to show them, and which of their data the site
/// signed. A host that creates no desk links nothing of SiteTrust.
public final class SiteDesk: Sendable {
    /// The phone's calendar in seconds since 1970, at `readAt` since boot.
    let unixSeconds: UInt64
    let readAt: Duration
    /// Returns the key of the box that shows this identity, if the site certifies the box under this number.
    let believe:
        @Sendable (KnownSite, BoxIdentity, _ number: [UInt8], _ clock: UInt64) -> Result<[UInt8], SiteBoxProblem>
    /// Returns the grant or its hash, or nil if the stored grant is damaged.
    let shown: @Sendable (KnownSite, _ whole: Bool) -> ShownGrant?
    /// Returns whether the site signed this entry and revokes this phone's grant by it.
    let takesBack: @Sendable (KnownSite, _ entry: [UInt8], _ clock: UInt64) -> Bool
    /// Returns whether the site signed this grant and it replaces the stored one.
    let renews: @Sendable (KnownSite, _ grant: [UInt8], _ clock: UInt64) -> Bool
    /// Returns the question about a part of the phone's site data, or nil after the last part.
    let question: @Sendable (KnownSite, _ part: Int, _ takesNotices: Bool) -> [UInt8]?
    /// Verifies the answer. `takesNotices` must be the same as in the question.
    let learn: @Sendable (KnownSite, [ToldNews], _ takesNotices: Bool) -> NewsVerdict
    /// Starts an exchange of site documents with a box of one of these sites.
    let exchange: @Sendable ([KnownSite], _ offering: [UInt8]?) -> DocumentExchange?
    /// Requests about site-held credentials; nil if this phone sends none.
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

    /// Returns the calendar's time at a time since boot.
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
        // An expired entry says nothing about today, and the data that it disables would be destroyed at once.
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
