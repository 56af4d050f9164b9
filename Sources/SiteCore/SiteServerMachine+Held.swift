import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// A box carries what a phone has sealed for the site. Each is answered, once.
    mutating func carry(_ carried: CarriedRequest, from id: LinkID, _ now: Duration) {
        guard case .served(let served) = links[id], let box = roster.box(key: served.key) else { return }
        guard served.counts.heldRefusals < SiteLimits.heldRefusals else { return answer(carried.number, .refused, id) }
        // Whoever cannot ask the database cannot say anything.
        guard seconds(now: now) != nil, served.counts.held < SiteLimits.heldOnLink else {
            return answer(carried.number, .notNow, id)
        }
        switch held.begin(carried, at: box, terms.holding, pin.site) {
        case .success(let wish):
            change(id) { $0.counts.held += 1 }
            effects.append(.hold(id, wish))
        case .failure(let refusal):
            if refusal == .refused { change(id) { $0.counts.heldRefusals += 1 } }
            answer(carried.number, refusal.outcome, id)
        }
        effects += held.takeLines().map { .log($0) }
    }

    /// A credential goes over the link on which it was asked for, or nowhere.
    mutating func held(_ id: LinkID, _ wish: HeldWish, _ result: HeldResult) {
        let outcome = held.end(wish, result, heads.log.set)
        change(id) {
            $0.counts.held -= 1
            if outcome == .refused { $0.counts.heldRefusals += 1 }
        }
        answer(wish.number, outcome, id)
        if outcome == .wiped { note(.error, "a credential was destroyed after too many wrong PINs, the last at box \(wish.box.name)") }
        effects += held.takeLines().map { .log($0) }
    }

    private mutating func answer(_ number: UInt32, _ outcome: HeldAnswer.Outcome, _ id: LinkID) {
        guard case .served = links[id] else { return }
        say(.held(HeldAnswer(number: number, outcome: outcome)), to: id)
    }
}
