import SiteLink

/// The state of the box's one link to its site.
enum SiteLinkState: Sendable {
    /// Without a link until the next attempt.
    case idle(until: Duration)
    /// From the connection attempt until the server's greeting is accepted.
    case connecting(SiteLinkID, SiteAddress)
    case shaking(SiteLinkID, SiteAddress)
    case open(SiteOpenLink)

    /// Nil while there is no link.
    var id: SiteLinkID? {
        switch self {
        case .idle: nil
        case .connecting(let id, _), .shaking(let id, _): id
        case .open(let link): link.id
        }
    }

    var address: SiteAddress? {
        switch self {
        case .idle: nil
        case .connecting(_, let address), .shaking(_, let address): address
        case .open(let link): link.address
        }
    }

    var opened: SiteOpenLink? { if case .open(let link) = self { link } else { nil } }

    var deadline: Duration? {
        switch self {
        case .idle(let until): until
        case .connecting, .shaking: nil
        case .open(let link): link.endsAt + SiteLinkTimes.lastHead
        }
    }
}

/// A link on which box and site exchange messages.
struct SiteOpenLink: Sendable {
    /// The most messages from the server on one link of at most an hour. A stolen server cannot wear out the disk.
    static let messageLimit = 4_096
    /// The most requests for all entries on one link. The answer costs more than the request.
    static let questionLimit = 16

    let id: SiteLinkID
    let address: SiteAddress
    let since: Duration
    /// From this time on, the box replaces the link at its next wakeup, at most `SiteLinkTimes.lastHead` later.
    let endsAt: Duration
    /// The number of the signed status that the site knows to be stored here. Nil if there is none of this generation.
    var toldNumber: UInt64?
    var messages = 0
    var questions = 0

    init(id: SiteLinkID, address: SiteAddress, since: Duration, endsAt: Duration, toldNumber: UInt64?) {
        self.id = id
        self.address = address
        self.since = since
        self.endsAt = endsAt
        self.toldNumber = toldNumber
    }

    /// Counts a message. Returns false if the message is one too many.
    mutating func mayTake(_ message: MessageFromSite) -> Bool {
        messages += 1
        if case .wantEntries = message { questions += 1 }
        return messages <= Self.messageLimit && questions <= Self.questionLimit
    }
}
