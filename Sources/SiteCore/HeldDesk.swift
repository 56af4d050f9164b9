import SiteLink
import SiteTrust

/// Requests about credentials that the site holds: which are asked of the database, and how many of a box were worth nothing.
struct HeldDesk: Sendable {
    private var underWay = 0
    private var refusals: UInt64 = 0

    /// A box carries what a phone has sealed for the site. Each is answered, once.
    ///
    /// - Parameter holding: What it is opened with. Nil: the site holds nothing, or nobody can ask the database.
    mutating func ask(
        _ asked: CarriedRequest, from id: LinkID, _ links: inout [LinkID: LinkState], _ roster: BoxRoster,
        _ holding: SiteHolding?, _ site: SiteID
    ) -> [SiteEffect] {
        guard case .served(var served) = links[id], let box = roster.box(key: served.key) else { return [] }
        func answer(_ outcome: HeldAnswer.Outcome) -> SiteEffect {
            .say(id, .held(HeldAnswer(number: asked.number, outcome: outcome)))
        }
        guard served.counts.heldRefusals < SiteLimits.heldRefusals else { return [answer(.refused)] }
        guard let holding, let boxKey = box.key, underWay < SiteLimits.heldAtOnce,
            served.counts.held < SiteLimits.heldOnLink
        else { return [answer(.notNow)] }
        let opened = holding.keys.open(asked.sealed, site: site, boxKey: boxKey, channel: asked.channel)
        defer { links[id] = .served(served) }
        guard let (phoneKey, request) = opened else {
            served.counts.heldRefusals += 1
            let why = "it is for another box or channel, or from an unknown phone"
            return refuse(why, at: box.name) + [answer(.refused)]
        }
        underWay += 1
        served.counts.held += 1
        return [.hold(id, HeldWish(number: asked.number, phoneKey: phoneKey, request: request, box: box))]
    }

    /// A credential goes over the link on which it was asked for, or nowhere. What came since it was committed may take the
    /// phone back.
    mutating func end(
        _ wish: HeldWish, _ result: HeldResult, for id: LinkID, _ links: inout [LinkID: LinkState],
        _ revocations: RevocationSet
    ) -> [SiteEffect] {
        underWay -= 1
        var lines = result.outcome == .refused ? refuse("it is not valid here", at: wish.box.name) : []
        if result.hasWiped {
            let text = "a credential was destroyed after too many wrong PINs, the last at box \(wish.box.name)"
            lines.append(.log(SiteLogLine(.error, text)))
        }
        guard case .served(var served) = links[id] else { return lines }
        var outcome = result.outcome
        if case .opened = outcome, result.grant.map({ revocations.entry(covering: $0) != nil }) ?? true {
            outcome = .refused
        }
        served.counts.held -= 1
        if outcome == .refused { served.counts.heldRefusals += 1 }
        links[id] = .served(served)
        return lines + [.say(id, .held(HeldAnswer(number: wish.number, outcome: outcome)))]
    }

    /// One more was worth nothing. Every time that this doubles their number it is worth a line: a hostile box fills no log.
    private mutating func refuse(_ why: String, at box: String) -> [SiteEffect] {
        refusals += 1
        guard refusals.nonzeroBitCount == 1 else { return [] }
        let text = "refused a phone's request that box \(box) forwarded: \(why); \(refusals) such requests so far"
        return [.log(SiteLogLine(.warning, text))]
    }
}
