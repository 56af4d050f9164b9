import SecureChannel
import SiteTrust
import VaultPort

extension SiteDesk {
    /// - Parameter document: The document to show the box, or nil.
    static func exchange(_ sites: [KnownSite], offering document: [UInt8]?) -> DocumentExchange {
        DocumentExchange(isOffer: document != nil) { input, now, limits in
            switch input {
            case .opened(let carrier):
                let question = DocumentRequest(showing: document).bytes
                return .ask(PhoneEnd(asking: question, on: carrier, now: now), until: now + limits.handshake)
            case .clear(let shown):
                for known in sites {
                    guard let newer = follows(known, shown) else { continue }
                    return .keep(
                        newer,
                        .keepSiteNews(SiteNews(id: newer.id, inPlaceOf: known.document, document: newer.document)))
                }
                return .over(isDone: document == shown)
            case .channelEnded, .linkDown: return .over(isDone: false)
            case .vault(.done): return .over(isDone: true)
            case .vault: return .over(isDone: false)
            default: return .wait
            }
        }
    }

    /// Returns the site with this document, or nil if the document does not follow the pinned one.
    private static func follows(_ known: KnownSite, _ document: [UInt8]) -> KnownSite? {
        guard let access = try? SiteAccess(known), let claimed = try? ClaimedSiteDocument(parsing: document) else {
            return nil
        }
        var (site, tally) = (access.site, SignatureTally())
        guard let change = try? site.take(claimed, tally: &tally), change != .none else { return nil }
        return known.with(site)
    }
}
