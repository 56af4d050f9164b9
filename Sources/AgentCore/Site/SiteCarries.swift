import SiteLink

/// Phones whose messages this box hands on to its site, and the site's to them, without reading any (docs/reference/site-protocol.md, 17).
///
///     open ── the phone's first message, in 5 s ──► asked ── the site's answer, in 15 s ──► heard ── an hour ──► over
///
/// Only a phone that knows a code's secret gets an answer, so nobody else holds a place for longer than those seconds.
struct SiteCarries: Sendable {
    /// At once; the others wait a moment.
    static let limit = 4
    /// Opened within a minute.
    static let opensLimit = 20
    static let window: Duration = .seconds(60)
    static let firstWithin: Duration = .seconds(5)
    static let answerWithin: Duration = .seconds(15)
    /// A code lives an hour at most.
    static let longest: Duration = .seconds(3_660)
    /// Messages each way of one.
    static let messageLimit = 16

    private struct Carry: Sendable {
        let since: Duration
        var until: Duration
        /// Nil before the phone's first message: the site has not heard of it.
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

    /// A phone would have its messages carried over this link; false: not now.
    mutating func open(_ channel: ChannelID, over current: SiteLinkID, at now: Duration) -> Bool {
        if link != current {
            // What the link before carried has been told of.
            guard carries.isEmpty else { return false }
            (link, last) = (current, 0)
        }
        opened.removeAll { now - $0 >= Self.window }
        guard carries.count < Self.limit, opened.count < Self.opensLimit, carries[channel] == nil else { return false }
        opened.append(now)
        carries[channel] = Carry(since: now, until: now + Self.firstWithin)
        return true
    }

    /// What the site is told of a phone's message; nil: it is one too many, or of no phone that is carried.
    mutating func carry(_ message: [UInt8], from channel: ChannelID, at now: Duration) -> CarriedMessage? {
        guard var carry = carries[channel], carry.sent < Self.messageLimit else { return nil }
        if carry.number == nil {
            // A link lasts an hour, and has 20 a minute.
            last += 1
            carry.number = CarryNumber(rawValue: last)
        }
        carry.sent += 1
        if carry.received == 0 { carry.until = now + Self.answerWithin }
        carries[channel] = carry
        return carry.number.flatMap { CarriedMessage(carry: $0, message: message) }
    }

    /// For whom the site's message is; nil: for nobody any more.
    mutating func carried(_ message: CarriedMessage) -> ChannelID? {
        guard let channel = channel(of: message.carry), var carry = carries[channel] else { return nil }
        carry.received += 1
        carry.until = carry.since + Self.longest
        carries[channel] = carry
        return carry.received <= Self.messageLimit ? channel : nil
    }

    /// The site has said its last word.
    mutating func ended(_ number: CarryNumber) -> ChannelID? {
        guard let channel = channel(of: number) else { return nil }
        carries[channel] = nil
        return channel
    }

    /// The phone has gone; the number by which the site knows it, where it does.
    mutating func left(_ channel: ChannelID) -> CarryNumber? { carries.removeValue(forKey: channel)?.number }

    /// Those whose time is over.
    func overdue(at now: Duration) -> [ChannelID] { ids { $0.until <= now } }

    /// The link that carried them is no more: all of them.
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
