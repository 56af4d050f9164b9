import SiteLink

/// The phones whose messages this box forwards to and from its site, unread (docs/reference/site-protocol.md, 17).
///
///     open ── the phone's first message, within 5 s ──► asked
///     asked ── the site's answer, within 15 s of the phone's last message ──► heard
///     heard ── 3,660 s after open ──► over
///
/// A phone that knows no code's secret gets no answer, so it loses its place by the first two limits.
struct SiteCarries: Sendable {
    /// The most phones at once. Further phones must try again.
    static let limit = 4
    /// The most phones accepted within a minute.
    static let opensLimit = 20
    static let window: Duration = .seconds(60)
    static let firstWithin: Duration = .seconds(5)
    static let answerWithin: Duration = .seconds(15)
    /// The longest exchange: a code is valid for an hour at most.
    static let longest: Duration = .seconds(3_660)
    /// The most messages of one phone in each direction.
    static let messageLimit = 16

    private struct Carry: Sendable {
        let since: Duration
        var until: Duration
        /// Nil before the phone's first message. The site does not know the phone until then.
        var number: CarryNumber?
        var sent = 0
        var received = 0
    }

    private var link: SiteLinkID?
    private var last: UInt32 = 0
    private var carries: [ChannelID: Carry] = [:]
    private var opened: [Duration] = []

    var count: Int { carries.count }
    var deadline: Duration? { carries.values.map(\.until).min() }

    /// Begins to carry a phone's messages over this link. Returns false if that is not possible now.
    mutating func open(_ channel: ChannelID, over current: SiteLinkID, at now: Duration) -> Bool {
        if link != current {
            // Refuse while the phones of the earlier link are not settled.
            guard carries.isEmpty else { return false }
            (link, last) = (current, 0)
        }
        opened.removeAll { now - $0 >= Self.window }
        guard carries.count < Self.limit, opened.count < Self.opensLimit, carries[channel] == nil else { return false }
        opened.append(now)
        carries[channel] = Carry(since: now, until: now + Self.firstWithin)
        return true
    }

    /// Returns the message for the site. Returns nil if it is one too many, or if the phone has no open exchange.
    mutating func carry(_ message: [UInt8], from channel: ChannelID, at now: Duration) -> CarriedMessage? {
        guard var carry = carries[channel], carry.sent < Self.messageLimit else { return nil }
        if carry.number == nil {
            // This cannot overflow: a link lasts an hour, with at most 20 phones a minute.
            last += 1
            carry.number = CarryNumber(rawValue: last)
        }
        carry.sent += 1
        if carry.received == 0 { carry.until = now + Self.answerWithin }
        carries[channel] = carry
        return carry.number.flatMap { CarriedMessage(carry: $0, message: message) }
    }

    /// Returns the phone for a message of the site. Returns nil if it is one too many, or the exchange is over.
    mutating func carried(_ message: CarriedMessage) -> ChannelID? {
        guard let channel = channel(of: message.carry), var carry = carries[channel] else { return nil }
        carry.received += 1
        carry.until = carry.since + Self.longest
        carries[channel] = carry
        return carry.received <= Self.messageLimit ? channel : nil
    }

    /// Removes a phone for which the site has sent its last message.
    mutating func ended(_ number: CarryNumber) -> ChannelID? {
        guard let channel = channel(of: number) else { return nil }
        carries[channel] = nil
        return channel
    }

    /// Removes a phone that has left. Returns its number at the site, if the site knows it.
    mutating func left(_ channel: ChannelID) -> CarryNumber? { carries.removeValue(forKey: channel)?.number }

    /// Returns the phones whose time has run out.
    func overdue(at now: Duration) -> [ChannelID] { ids { $0.until <= now } }

    /// Removes and returns all phones whose link has ended.
    mutating func settle(over current: SiteLinkID?) -> [ChannelID] {
        guard link != current, !carries.isEmpty else { return [] }
        defer { carries = [:] }
        return ids { _ in true }
    }

    private func ids(where isMeant: (Carry) -> Bool) -> [ChannelID] {
        carries.filter { isMeant($0.value) }.keys.sorted { $0.number < $1.number }
    }

    private func channel(of number: CarryNumber) -> ChannelID? { carries.first { $0.value.number == number }?.key }
}
