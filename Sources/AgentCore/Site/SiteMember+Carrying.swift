import PhoneMessages
import SiteLink

/// Enrolments that this box carries between phones and its site. The box cannot read their secrets or insert a key.
extension SiteMember {
    /// Begins to carry the phone's messages. Returns the reason if that is not possible now.
    mutating func opensCarry(_ channel: ChannelID, _ out: inout Output) -> ResultCode? {
        guard let open = link.opened else { return .boxCutOff }
        return carries.open(channel, over: open.id, at: out.time) ? nil : .busy
    }

    mutating func carry(_ message: [UInt8], from channel: ChannelID, _ out: inout Output) {
        guard let open = link.opened, let carried = carries.carry(message, from: channel, at: out.time) else {
            return out.tell(.carryOver(channel))
        }
        out.emit(.site(open.id, .say([.carry(carried)])))
    }

    /// Ends the exchange of a phone that has left.
    mutating func carryLeft(_ channel: ChannelID, _ out: inout Output) {
        guard let number = carries.left(channel), let open = link.opened else { return }
        out.emit(.site(open.id, .say([.endCarry(number)])))
    }

    mutating func carried(_ message: CarriedMessage, _ out: inout Output) {
        if let channel = carries.carried(message) { out.tell(.carried(channel, message.message)) }
    }

    mutating func carryEnded(_ number: CarryNumber, _ out: inout Output) {
        if let channel = carries.ended(number) { out.tell(.carryOver(channel)) }
    }

    /// Ends the exchanges whose time has run out, and all exchanges of an ended link.
    mutating func settleCarries(_ out: inout Output) {
        for channel in carries.settle(over: link.opened?.id) { out.tell(.carryOver(channel)) }
        for channel in carries.overdue(at: out.time) {
            carryLeft(channel, &out)
            out.tell(.carryOver(channel))
        }
    }
}
