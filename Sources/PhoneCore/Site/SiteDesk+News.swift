import PhoneMessages
import Secrets
import SiteTrust
import VaultPort

extension SiteDesk {
    /// Returns the question about a part of the phone's site data, or nil after the last part.
    static func question(_ known: KnownSite, _ part: Int, _ takesNotices: Bool) -> [UInt8]? {
        guard let access = try? SiteAccess(known) else { return nil }
        let salt = randomBytes(count: SiteNewsQuestion.saltBytes)
        return SiteNewsQuestion(of: access.site, part: part, salt: salt, takesNotices: takesNotices)?.bytes
    }

    /// Verifies an answer. If one item is refused, nothing changes.
    static func learn(_ known: KnownSite, _ told: [ToldNews], _ takesNotices: Bool) -> NewsVerdict {
        guard let access = try? SiteAccess(known), let site = try? taken(told, by: access, takesNotices) else {
            return .refused
        }
        guard site != access.site else { return .nothing }
        let newer = known.with(site)
        let added = newer.revokedBoxes.filter { !known.revokedBoxes.contains($0) }
        let news = SiteNews(
            id: known.id, inPlaceOf: known.document, document: newer.document, head: newer.head, entries: added)
        let count = told.filter { $0.kind == .entries }.reduce(0) {
            $0 + $1.bytes.count / SiteTrust.Revocation.byteCount
        }
        #if hasFeature(Embedded)
            return .news(LearnedNews(site: newer, news: news, isMore: count > 0))
        #else
            let enrolled = EnrolledPhone.all(in: added, but: access)
            return .news(LearnedNews(site: newer, news: news, isMore: count > 0, enrolled: enrolled))
        #endif
    }

    private static func taken(
        _ told: [ToldNews], by access: SiteAccess, _ takesNotices: Bool
    ) throws(SiteError) -> PhoneSite {
        var (site, tally) = (access.site, SignatureTally())
        for message in told {
            switch message.kind {
            case .document: _ = try site.take(try ClaimedSiteDocument(parsing: message.bytes), tally: &tally)
            case .head: _ = try site.take(try ClaimedRevocationHead(parsing: message.bytes), tally: &tally)
            case .entries: try take(message.bytes, of: access.grant.facts, takesNotices, &site, &tally)
            }
        }
        return site
    }

    /// Returns whether a box may send this subject to a phone with this grant and question.
    private static func isNews(_ subject: RevokedSubject, _ own: GrantFacts, _ takesNotices: Bool) -> Bool {
        switch subject {
        case .box: return true
        #if !hasFeature(Embedded)
            case .enrolment(let notice): return takesNotices && notice.user == own.userID
        #endif
        case .phone, .user: return false
        }
    }

    private static func take(
        _ entries: [UInt8], of own: GrantFacts, _ takesNotices: Bool, _ site: inout PhoneSite,
        _ tally: inout SignatureTally
    ) throws(SiteError) {
        var fields = FieldReader(entries)
        while !fields.isAtEnd {
            let claimed = try ClaimedRevocation(parsing: try fields.take(SiteTrust.Revocation.byteCount))
            guard isNews(claimed.facts.subject, own, takesNotices) else { throw .invalidField }
            do throws(SiteError) {
                _ = try site.take(claimed, tally: &tally)
            } catch {
                // Skip an entry that this phone cannot verify or has no room for, as if the box had not sent it.
                guard error == .setFull || error == .unknownIssuer else { throw error }
            }
        }
    }
}

extension KnownSite {
    /// Returns a copy with the document, the signed status and the revoked boxes of `site`, which are verified.
    func with(_ site: PhoneSite) -> KnownSite {
        with(
            document: site.pin.bytes, head: site.head?.bytes,
            revokedBoxes: site.revokedBoxes.entries.map { $0.bytes })
    }
}
