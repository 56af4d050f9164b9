import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// Handles a box's request to renew a grant. A problem is not answered: the box asks again when the phone returns.
    mutating func renew(_ claimed: ClaimedGrant, from id: LinkID, _ now: Duration) {
        guard case .served(let served) = links[id], served.counts.renewals < SiteLimits.renewals else { return }
        change(id) { $0.counts.renewals += 1 }
        guard doubtOfAll(now: now) == nil, signing.issuing.canSign(.phones), let time = seconds(now: now),
            let box = roster.box(key: served.key)
        else {
            return
        }
        let wish = phones.renewals.begin(claimed, at: box, pin, heads.log.set, time: time)
        effects += wish.map { [.renew(id, $0)] } ?? phones.renewals.takeLines().map { .log($0) }
    }
}
