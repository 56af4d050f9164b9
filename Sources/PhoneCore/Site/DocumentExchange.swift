import Links
import SecureChannel
import SiteTrust
import VaultPort

/// A link on which a box shows its site document, and may be shown the phone's: where the one does not know an issuer of the other's.
/// Nothing on it says who the phone is.
///
/// ```
/// opening ──► asking ── a newer document ──► keeping ──► (over)
///    └─ link ───┴──────── none, or refused ────────────► (over)
/// ```
struct DocumentExchange: Sendable {
    enum End: Sendable {
        case done
        /// Nothing was learned.
        case failed
    }

    enum Stage: Sendable {
        case opening(CarrierOpening)
        case asking(until: Duration)
        case keeping(KnownSite)
    }

    /// Sites whose document it may be.
    let sites: [KnownSite]
    /// The box lacks the phone's document: what it answers need not be newer.
    let offered: [UInt8]?
    var stage: Stage

    init(_ sites: [KnownSite], offering document: [UInt8]?, to boxID: String, _ context: inout ErrandContext) {
        self.sites = sites
        offered = document
        stage = .opening(CarrierOpening(to: boxID, for: context.choice.demand(for: 0), &context))
    }

    var deadline: Duration? {
        switch stage {
        case .opening(let opening): opening.deadline
        case .asking(let until): until
        case .keeping: nil
        }
    }
}

extension SiteDesk {
    static func exchange(
        _ exchange: inout DocumentExchange, _ input: Input, _ context: inout ErrandContext
    ) -> DocumentExchange.End? {
        switch (exchange.stage, input) {
        case (.opening(let opening), _):
            switch opening.handle(input, &context) {
            case nil: return nil
            case .failure: return .failed
            case .success(let carrier):
                let question = DocumentRequest(showing: exchange.offered).bytes
                context.beginChannel(PhoneEnd(asking: question, on: carrier, now: context.now))
                exchange.stage = .asking(until: context.now + context.limits.handshake)
                return nil
            }
        case (.asking, .clear(let document)):
            guard let newer = exchange.sites.lazy.compactMap({ follows($0, document) }).first,
                let old = exchange.sites.first(where: { $0.id == newer.id })
            else { return exchange.offered == document ? .done : .failed }
            exchange.stage = .keeping(newer)
            context.ask(.keepSiteDocument(newer.document, of: newer.id, inPlaceOf: old.document))
            return nil
        case (.asking, .channelEnded), (.asking, .linkDown): return .failed
        case (.asking(let until), .time) where context.now >= until: return .failed
        case (.keeping(let newer), .vault(.done)):
            context.sites.changed(newer)
            return .done
        case (.keeping, .vault): return .failed
        default: return nil
        }
    }

    /// The site with this document; nil where it does not follow the pinned one.
    private static func follows(_ known: KnownSite, _ document: [UInt8]) -> KnownSite? {
        guard let access = try? SiteAccess(known), let claimed = try? ClaimedSiteDocument(parsing: document) else {
            return nil
        }
        var (site, tally) = (access.site, SignatureTally())
        guard let change = try? site.take(claimed, tally: &tally), change != .none else { return nil }
        return known.with(document: document)
    }
}
