import SiteLink

/// Tracks carries, in which boxes pass on the messages of phones, and limits them for each box. A message with a new
/// number opens a carry. That number must be above all earlier numbers of the link.
struct CarryDesk: Sendable {
    private struct Link: Sendable {
        /// The number of messages received for each open carry.
        var open: [CarryNumber: Int] = [:]
        var last: CarryNumber?
        var opened = 0
    }

    private var links: [LinkID: Link] = [:]
    private(set) var count = 0

    /// Handles a box's message about a phone. Messages that are handed on go to a `SiteEnrolment`.
    mutating func heard(_ said: MessageToSite, from id: LinkID) -> [SiteEffect] {
        switch said {
        case .carry(let message):
            switch take(message.carry, from: id) {
            case .handOn: [.carry(id, message)]
            case .end(let wasOpen):
                (wasOpen ? [.endCarry(id, message.carry)] : []) + [.say(id, .carryEnded(message.carry))]
            case .nothing: []
            }
        case .endCarry(let carry): end(carry, of: id) ? [.endCarry(id, carry)] : []
        default: []
        }
    }

    /// Forwards the site's messages to phones whose carry is open, and ends carries.
    mutating func hear(_ event: SiteEvent) -> [SiteEffect] {
        switch event {
        case .carryAnswered(let id, let message) where links[id]?.open[message.carry] != nil:
            [.say(id, .carried(message))]
        case .carryOver(let id, let carry) where end(carry, of: id): [.say(id, .carryEnded(carry))]
        default: []
        }
    }

    /// Ends the carries of a link that no longer serves.
    mutating func left(_ id: LinkID) -> [SiteEffect] {
        guard let link = links.removeValue(forKey: id) else { return [] }
        count -= link.open.count
        return link.open.keys.sorted().map { .endCarry(id, $0) }
    }

    /// The decision about a message.
    private enum Verdict: Equatable {
        case handOn
        /// Tells the box that the carry has ended. If `wasOpen`, the shell is told too.
        case end(wasOpen: Bool)
        /// The carry had already ended.
        case nothing
    }

    private mutating func take(_ carry: CarryNumber, from id: LinkID) -> Verdict {
        var link = links[id] ?? Link()
        defer { links[id] = link }
        if let messages = link.open[carry] {
            guard messages < SiteEnrolmentEnd.messageLimit else {
                link.open[carry] = nil
                count -= 1
                return .end(wasOpen: true)
            }
            link.open[carry] = messages + 1
            return .handOn
        }
        if let last = link.last, carry <= last { return .nothing }
        link.last = carry
        guard link.open.count < SiteLimits.carriesOfLink, link.opened < SiteLimits.carriesInAll,
            count < SiteLimits.carriesAtOnce
        else { return .end(wasOpen: false) }
        link.opened += 1
        link.open[carry] = 1
        count += 1
        return .handOn
    }

    /// Ends a carry. Returns false if it had already ended.
    private mutating func end(_ carry: CarryNumber, of id: LinkID) -> Bool {
        guard links[id]?.open.removeValue(forKey: carry) != nil else { return false }
        count -= 1
        return true
    }
}
