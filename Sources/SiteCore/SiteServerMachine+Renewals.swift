import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// A box would have a grant issued anew. Whatever is wrong, there is no answer: the box asks again when the phone comes again.
    mutating func renew(_ claimed: ClaimedGrant, from id: LinkID, _ now: Duration) {
        guard case .served(let served) = links[id], served.counts.renewals < SiteLimits.renewals else { return }
        change(id) { $0.counts.renewals += 1 }
        guard doubt(now: now) == nil, let time = seconds(now: now), let box = roster.box(key: served.key) else {
            return
        }
        let wish = phones.renewals.begin(claimed, at: box, pin, heads.log.set, time: time)
        effects += wish.map { [.renew(id, $0)] } ?? phones.renewals.takeLines().map { .log($0) }
    }

    mutating func renewed(_ id: LinkID, _ wish: RenewalWish, _ answer: RenewalAnswer) {
        let grant = phones.renewals.end(wish, answer, heads.log.set)
        if let grant, case .served = links[id] { say(.grant(grant), to: id) }
        effects += phones.renewals.takeLines().map { .log($0) }
    }
}
