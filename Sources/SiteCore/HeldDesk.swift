import SiteLink
import SiteTrust

/// Handles requests about credentials that the site holds. It forwards them to the database, and counts refusals.
struct HeldDesk: Sendable {
    private var underWay = 0
    private var refusals: UInt64 = 0

    /// Opens a phone's sealed request that a box carries. Each request gets one answer.
    ///
    /// - Parameter holding: The keys that open requests. Nil if the site holds no credentials or cannot ask the
    ///   database.
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

    /// Sends the result over the link that asked for it, if that link is still served. A credential is not sent if a
    /// later entry revokes the phone.
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

    /// Counts a refusal. A line is logged each time that the count has doubled, so a hostile box cannot fill the log.
    private mutating func refuse(_ why: String, at box: String) -> [SiteEffect] {
        refusals += 1
        guard refusals.nonzeroBitCount == 1 else { return [] }
        let text = "refused a phone's request that box \(box) forwarded: \(why); \(refusals) such requests so far"
        return [.log(SiteLogLine(.warning, text))]
    }
}
