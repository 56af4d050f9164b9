import SiteLink
import SiteTrust

/// A connection of a box.
public struct LinkID: Hashable, Sendable, Comparable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }

    public static func < (left: LinkID, right: LinkID) -> Bool { left.number < right.number }
}

/// What happens to a server. The machine hears of the world by these alone.
public enum SiteEvent: Sendable {
    /// Somebody has connected, from this address without its port.
    case opened(LinkID, address: String)
    /// The box has shown that it has this key (X25519, 32 bytes); with the secret of that join code where there is one.
    case proved(LinkID, key: [UInt8], codeID: [UInt8]?)
    case said(LinkID, MessageToSite)
    /// Most of what was said to the box is on its way: there is room for more.
    case drained(LinkID)
    case closed(LinkID)
    /// The database has answered.
    case refreshed(SiteNews)
    /// The database cannot be reached, or refuses to write.
    case databaseLost
    /// What became of `SiteEffect.join`.
    case joined(LinkID, Result<SiteBox, SiteRefusal>)
    /// `SiteEffect.store` was tried: whether it is there, the next `refreshed` says.
    case stored(LinkID?)
    /// What became of `SiteEffect.renew`.
    case renewed(LinkID, RenewalWish, RenewalAnswer)
    /// The site's answer to a phone whose messages that box carries.
    case carryAnswered(LinkID, CarriedMessage)
    /// The site has nothing more to say to that phone.
    case carryOver(LinkID, CarryNumber)
    /// What became of `SiteEffect.hold`.
    case held(LinkID, HeldWish, HeldResult)
    /// A grant was issued, for an administrator or an enrolment that one has confirmed.
    case grantIssued
    /// A phone was told that it is enrolled.
    case phoneEnrolled
    /// What the directory of this server's users is wrong in, as of now.
    case directorySaid([DirectoryAlarm])
    /// A minute has passed since the database was asked about the whole site.
    case surveyDue
    /// What became of `SiteEffect.survey`, where the database has answered.
    case surveyed(SiteSurvey)
    /// What became of `SiteEffect.enrolSelf`.
    case enrolledSelf(LinkID, SelfEnrolmentTask, SelfEnrolmentResult)
    /// The administrator has looked at the clocks.
    case clockAccepted
    /// The files with issuer keys were read again.
    case keysFound(IssuerKeys)
    /// Every deadline up to now is due; also comes with every other event.
    case timeHasCome
}

/// What a server has to do, in this order.
public enum SiteEffect: Sendable, Equatable {
    case say(LinkID, MessageFromSite)
    /// `drained` is wanted once most of it is sent.
    case tellWhenDrained(LinkID)
    /// The link is closed once what was said is sent.
    case close(LinkID)
    /// A box has shown the secret of a join code: whether it joins is judged and written down in one transaction.
    case join(LinkID, key: [UInt8], codeID: [UInt8])
    /// Entries that the database lacks, verified, and the number above which it goes on: of a box, or this server's own.
    case store(LinkID?, [Revocation], above: UInt64)
    /// The box has left: it is removed, as the administrator would remove it.
    case remove(SiteBox, reason: String)
    /// Whether a phone gets another grant is judged and written down in one transaction; `renewed` comes in any case.
    case renew(LinkID, RenewalWish)
    /// A message of a phone that would be enrolled. The first one of its number begins an enrolment.
    case carry(LinkID, CarriedMessage)
    /// That phone has gone, or was cut off.
    case endCarry(LinkID, CarryNumber)
    /// A phone's request about the credential that the site holds: a try is spent, durably, before its PIN is looked at; `held` comes
    /// in any case.
    case hold(LinkID, HeldWish)
    /// These boxes are written down as seen, and the whole site is counted: with boxes that no server has seen for so many days.
    case survey(seen: [SeenBox], silentDays: Int)
    /// Somebody at a box enrols a phone of their own: `enrolledSelf` comes in any case, but after an end.
    case enrolSelf(LinkID, SelfEnrolmentTask)
    /// Two boxes have this one's key.
    case suspend(SiteBox, reason: String)
    case log(SiteLogLine)
}

/// A line of the log.
public struct SiteLogLine: Sendable, Equatable {
    public enum Level: Sendable, Equatable { case error, warning, notice }

    public let level: Level
    public let text: String

    public init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
}
