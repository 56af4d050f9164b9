import SiteLink

/// Where the box's one link to its site stands.
enum SiteLinkState: Sendable {
    /// Until the next try.
    case idle(until: Duration)
    /// From the order to connect until the server's greeting was believed.
    case connecting(SiteLinkID, SiteAddress)
    case shaking(SiteLinkID, SiteAddress)
    case open(SiteOpenLink)

    /// Nil while there is none.
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

/// A link on which box and site talk.
struct SiteOpenLink: Sendable {
    /// Messages that the server may say on one link, an hour at most: a server that was stolen wears out no disk.
    static let messageLimit = 4_096
    /// How often it may ask for all entries, which costs more than the question.
    static let questionLimit = 16

    let id: SiteLinkID
    let address: SiteAddress
    let since: Duration
    /// From then on the box begins a new one with what wakes it next, at the latest `SiteLinkTimes.lastHead` later.
    let endsAt: Duration
    /// The number of the head that the site was told of; nil: none of this generation.
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

    /// Counts a message; false where it is one too many.
    mutating func mayTake(_ message: MessageFromSite) -> Bool {
        messages += 1
        if case .wantEntries = message { questions += 1 }
        return messages <= Self.messageLimit && questions <= Self.questionLimit
    }
}
