import SiteLink
import SiteTrust

/// Handles the requests that boxes make for phones.
struct PhoneDesks: Sendable {
    var renewals = RenewalDesk()
    var carries = CarryDesk()
    var held = HeldDesk()
    var own = SelfDesk()

    /// Takes the result of a request.
    mutating func hear(
        _ event: SiteEvent, _ links: inout [LinkID: LinkState], _ revocations: RevocationSet
    ) -> [SiteEffect] {
        switch event {
        case .renewed(let id, let wish, let answer):
            renewals.answered(id, isServed: links[id]?.isServed ?? false, wish, answer, revocations)
        case .held(let id, let wish, let result): held.end(wish, result, for: id, &links, revocations)
        case .enrolledSelf(let id, let task, let result): own.hear(task, result, for: id)
        default: carries.hear(event)
        }
    }

    /// Takes a self-enrolment at a box. `doubt` is the reason why the server does not sign, such as an unknown time.
    mutating func heard(
        _ wish: SelfEnrolmentWish, from id: LinkID, _ served: ServedBox, _ roster: BoxRoster, _ signing: SiteSigning,
        _ doubt: String?
    ) -> [SiteEffect] {
        guard let box = roster.box(key: served.key) else { return [] }
        let isReady = doubt == nil && signing.issuing.canSign(.phones)
        return own.heard(wish, from: id, at: box, signing.terms.selfEnrolment, isReady: isReady)
    }

    /// Ends the requests of a link that no longer serves.
    mutating func left(_ id: LinkID) -> [SiteEffect] { carries.left(id) + own.left(id) }
}
