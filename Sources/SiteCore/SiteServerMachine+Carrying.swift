import SiteLink

/// Enrolments of phones through boxes: what a box hands on goes to a `SiteEnrolment`, which is not this machine's matter.
extension SiteServerMachine {
    mutating func carry(_ message: CarriedMessage, from id: LinkID) {
        switch phones.carries.take(message.carry, from: id) {
        case .handOn: effects.append(.carry(id, message))
        case .end(let wasOpen):
            if wasOpen { effects.append(.endCarry(id, message.carry)) }
            say(.carryEnded(message.carry), to: id)
        case .nothing: break
        }
    }

    mutating func endCarry(_ carry: CarryNumber, of id: LinkID) {
        if phones.carries.end(carry, of: id) { effects.append(.endCarry(id, carry)) }
    }

    mutating func carryAnswered(_ id: LinkID, _ message: CarriedMessage) {
        guard case .served = links[id], phones.carries.isOpen(message.carry, of: id) else { return }
        say(.carried(message), to: id)
    }

    mutating func carryOver(_ id: LinkID, _ carry: CarryNumber) {
        guard phones.carries.end(carry, of: id), case .served = links[id] else { return }
        say(.carryEnded(carry), to: id)
    }

    /// The link serves no longer.
    mutating func endCarries(of id: LinkID) {
        for carry in phones.carries.leave(id) { effects.append(.endCarry(id, carry)) }
    }
}
