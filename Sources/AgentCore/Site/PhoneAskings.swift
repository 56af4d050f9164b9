import SiteLink
import SiteTrust

/// The box's requests to its site on behalf of phones, over the current link.
struct PhoneAskings: Sendable {
    private var renewals = SiteRenewals()
    private var held = HeldRequests()
    var own = SelfEnrolling()

    var deadline: Duration? { [held.deadline, own.deadline].compactMap(\.self).min() }

    mutating func timeHasCome(_ out: inout Output) {
        for id in held.takeOverdue(now: out.time) { out.tell(.siteAnswered(id, nil)) }
        own.timeHasCome(&out)
    }

    /// Fails all waiting requests, because the link has ended.
    mutating func drop(_ out: inout Output) {
        for id in held.drop() { out.tell(.siteAnswered(id, nil)) }
        own.drop(&out)
    }

    /// Asks the site for a new grant, if the old one expires soon.
    mutating func renew(_ grant: Grant, at seconds: UInt64?, over open: SiteOpenLink?, _ out: inout Output) {
        guard let open, let claimed = try? ClaimedGrant(parsing: grant.bytes),
            renewals.begin(grant.facts, at: seconds, over: open.id)
        else { return }
        out.emit(.site(open.id, .say([.renew(claimed)])))
    }

    /// Carries a phone's sealed request to the site, or reports at once that the request cannot be carried.
    mutating func ask(
        _ id: OperationID, channel: [UInt8], _ sealed: [UInt8], over open: SiteOpenLink?, _ out: inout Output
    ) {
        // Until the site's first message, the box may send only hello (docs/reference/site-protocol.md, 14).
        guard let open, open.messages > 0, let number = held.begin(id, now: out.time) else {
            return out.tell(.siteAnswered(id, nil))
        }
        guard let carried = CarriedRequest(number: number, channel: channel, sealed: sealed) else {
            _ = held.end(number)
            return out.tell(.siteAnswered(id, .refused))
        }
        out.emit(.site(open.id, .say([.ask(carried)])))
    }

    mutating func hear(_ claimed: ClaimedGrant, over open: SiteOpenLink, _ out: inout Output) {
        if renewals.end(claimed, over: open.id) { out.tell(.siteGrant(claimed)) }
    }

    mutating func hear(_ answer: HeldAnswer, _ out: inout Output) {
        if let id = held.end(answer.number) { out.tell(.siteAnswered(id, answer.outcome)) }
    }
}
