import SiteLink
import SiteTrust

/// Requests about credentials that the site holds: which are asked of the database, and how many of a box were worth nothing.
struct HeldDesk: Sendable {
    private var underWay = 0
    private var refusals: UInt64 = 0
    private var lines: [SiteLogLine] = []

    /// What the database is asked; or what the box is told instead.
    mutating func begin(
        _ carried: CarriedRequest, at box: SiteBox, _ holding: SiteHolding?, _ site: SiteID
    ) -> Result<HeldWish, HeldRefusal> {
        guard let holding, let boxKey = box.key, underWay < SiteLimits.heldAtOnce else { return .failure(.notNow) }
        guard
            let (phoneKey, request) = holding.keys.open(
                carried.sealed, site: site, boxKey: boxKey, channel: carried.channel)
        else {
            refuse("was made for another box or channel, or by nobody", at: box.name)
            return .failure(.refused)
        }
        underWay += 1
        return .success(HeldWish(number: carried.number, phoneKey: phoneKey, request: request, box: box))
    }

    /// What the box is told. What came since it was committed may take the phone back.
    mutating func end(_ wish: HeldWish, _ result: HeldResult, _ revocations: RevocationSet) -> HeldAnswer.Outcome {
        underWay -= 1
        if result.outcome == .refused { refuse("counts for nothing here", at: wish.box.name) }
        guard case .opened = result.outcome else { return result.outcome }
        guard let grant = result.grant, revocations.entry(covering: grant) == nil else { return .refused }
        return result.outcome
    }

    /// One more was worth nothing. Every time that this doubles their number it is worth a line: a hostile box fills no log.
    private mutating func refuse(_ why: String, at box: String) {
        refusals += 1
        guard refusals.nonzeroBitCount == 1 else { return }
        lines.append(
            SiteLogLine(.warning, "box \(box) carries a phone's request that \(why); \(refusals) such came so far"))
    }

    /// What is to be logged, once.
    mutating func takeLines() -> [SiteLogLine] {
        defer { lines = [] }
        return lines
    }
}

/// Why the database is not asked.
enum HeldRefusal: Error, Sendable {
    case refused
    case notNow

    var outcome: HeldAnswer.Outcome {
        switch self {
        case .refused: .refused
        case .notNow: .notNow
        }
    }
}
