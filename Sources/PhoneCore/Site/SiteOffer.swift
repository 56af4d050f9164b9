import SiteTrust
import VaultPort

/// A document and a grant from a site or its administrator, not verified yet.
public struct SiteOffer: Sendable {
    private let code: SiteGrantCode
    /// The site key from the enrolment code; nil without a code.
    private let codeKey: [UInt8]?

    /// Reads a grant's text, which begins with `boxsite-grant:1/`.
    public init(parsing text: [UInt8]) throws(SiteProblem) {
        do throws(SiteTextError) {
            code = try SiteGrantCode(parsing: text)
        } catch {
            throw error.problem
        }
        codeKey = nil
    }

    /// Reads the answer of a site that has enrolled the phone.
    ///
    /// - Parameter rootKey: The root's key. Like `site` and `siteKey`, it comes from the enrolment code.
    public init(
        document: [UInt8], grant: [UInt8], of site: [UInt8], rootKey: [UInt8], siteKey: [UInt8]
    ) throws(SiteProblem) {
        do throws(SiteError) {
            code = SiteGrantCode(
                document: try ClaimedSiteDocument(parsing: document), grant: try ClaimedGrant(parsing: grant))
        } catch {
            throw .enrolmentNonsense
        }
        // An attacker's root could name the same site if this phone does not know the site yet.
        guard code.document.facts.site.bytes == site, code.document.facts.rootKey == rootKey else {
            throw .otherSiteThanCode
        }
        codeKey = siteKey
    }

    /// Verifies the offer at `clock` (seconds since 1970). Returns the data to store and the id of its row. The
    /// document must follow the site's pinned document, if there is one; an older document leaves the pinned one in
    /// place. The grant must be for a key of this phone.
    ///
    /// A pinned site is never replaced, because anyone could forge a document with its id
    /// (docs/reference/site-protocol.md, 4).
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

    /// Returns the site's key, from the code or the root's statement. Returns nil if the phone holds the password.
    private func siteKey(
        _ pin: SitePin, after kept: KeptSiteKey?, _ tally: inout SignatureTally
    ) throws(SiteProblem) -> KeptSiteKey? {
        guard code.grant.facts.mode == .siteHeld else { return nil }
        do throws(SiteError) {
            let new: KeptSiteKey
            if let codeKey {
                new = try KeptSiteKey(code: codeKey)
            } else {
                guard let claimed = code.siteKey else { throw SiteError.wrongLength }
                new = KeptSiteKey(try claimed.verify(pin, tally: &tally))
            }
            guard let kept else { return new }
            return try kept.replaced(by: new)
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
