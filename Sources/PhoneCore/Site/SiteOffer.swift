import SiteTrust
import VaultPort

/// What a site's administrator hands to a phone: a document and a grant, not believed yet.
public struct SiteOffer: Sendable {
    private let code: SiteGrantCode

    /// Reads the text, which begins with `boxsite-grant:1/`.
    public init(parsing text: [UInt8]) throws(SiteProblem) {
        do throws(SiteTextError) {
            code = try SiteGrantCode(parsing: text)
        } catch {
            throw error.problem
        }
    }

    /// What to keep, and as which row's, if it all is in order at `clock` (seconds since 1970): the document is the first of its site here,
    /// or follows the pinned one, or is older and the pinned one stays; and the grant is for a key of this phone.
    ///
    /// A pinned site is never replaced: whoever could show a document with its id would take its place (docs/site-protocol.md, 4).
    public func taken(
        by waiting: SiteKey?, _ known: [KnownSite], clock: UInt64
    ) throws(SiteProblem) -> (id: [UInt8], GrantedSite) {
        var tally = SignatureTally()
        let phoneKey = code.grant.facts.phoneKey
        let site = code.document.facts.site
        var kept: SiteAccess?
        for candidate in known {
            let access = try SiteAccess(candidate)
            let isSite = access.site.pin.site == site
            guard isSite == (candidate.phoneKey == phoneKey) else { throw .otherKey }
            if isSite { kept = access }
        }
        guard let id = kept?.known.id ?? (waiting?.publicKey == phoneKey ? waiting?.id : nil) else { throw .otherPhone }
        let pin = try pin(following: kept?.site.pin, &tally)
        let grant = try verifiedGrant(pin, phoneKey, clock, &tally)
        if let kept, kept.grant.facts.user != grant.facts.user || kept.grant.facts.userID != grant.facts.userID {
            throw .otherUser
        }
        let entry = kept?.known.entry.flatMap { bytes in
            (try? ClaimedRevocation(parsing: bytes)).flatMap { SiteAccess.counts($0, pin, grant.facts) ? bytes : nil }
        }
        let siteKey = try siteKey(pin, after: kept?.siteKey, &tally)
        return (
            id,
            GrantedSite(
                site: site.bytes, document: pin.bytes, grant: grant.bytes, entry: entry, siteKey: siteKey?.bytes)
        )
    }

    /// What the root says of the site's key; nil where the phone keeps the password. It never goes back to an earlier one: somebody may
    /// have that one's secret by now.
    private func siteKey(
        _ pin: SitePin, after kept: SiteKeyStatement?, _ tally: inout SignatureTally
    ) throws(SiteProblem) -> SiteKeyStatement? {
        guard code.grant.facts.mode == .siteHeld else { return nil }
        do throws(SiteError) {
            guard let claimed = code.siteKey else { throw SiteError.wrongLength }
            let new = try claimed.verify(pin, tally: &tally)
            guard let kept, kept.number >= new.number else { return new }
            guard kept.number > new.number || kept.key == new.key else { throw SiteError.contradictsPinned }
            return kept
        } catch {
            throw .keyNotSigned
        }
    }

    private func pin(following pinned: SitePin?, _ tally: inout SignatureTally) throws(SiteProblem) -> SitePin {
        guard var pin = pinned else {
            do throws(SiteError) {
                return try SitePin(root: code.document.facts.rootKey, document: code.document, tally: &tally)
            } catch {
                throw .documentNotSigned
            }
        }
        do throws(SiteError) {
            _ = try pin.take(code.document, tally: &tally)
            return pin
        } catch .olderVersion, .olderGeneration {
            return pin
        } catch .notSigned {
            throw .documentNotSigned
        } catch {
            throw .otherDocument
        }
    }

    private func verifiedGrant(
        _ pin: SitePin, _ phoneKey: [UInt8], _ clock: UInt64, _ tally: inout SignatureTally
    ) throws(SiteProblem) -> Grant {
        let grant: Grant
        do throws(SiteError) {
            grant = try code.grant.verify(pin, phoneKey: phoneKey, at: clock, tally: &tally)
        } catch .otherKey {
            throw .otherPhone
        } catch .unknownIssuer, .wrongRole {
            throw .unknownIssuer
        } catch .issuerExpired {
            throw .expired
        } catch {
            throw .grantNotSigned
        }
        return grant
    }
}

extension SiteTextError {
    fileprivate var problem: SiteProblem {
        switch self {
        case .otherScheme: .otherText
        case .unknownVersion: .newerText
        case .damaged: .damagedText
        }
    }
}
