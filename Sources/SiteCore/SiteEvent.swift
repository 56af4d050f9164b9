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

/// An event for a server, the only source of the machine's knowledge. Events such as `joined` are results of effects.
public enum SiteEvent: Sendable {
    /// A connection came from this address (without the port), in this network.
    case opened(LinkID, address: String, network: String)
    /// The box has proved this key (X25519, 32 bytes), and the secret of the join code unless `codeID` is nil.
    case proved(LinkID, key: [UInt8], codeID: [UInt8]?)
    case said(LinkID, MessageToSite)
    /// Most messages to the box are on their way, so there is room for more.
    case drained(LinkID)
    case closed(LinkID)
    /// The database has answered a refresh.
    case refreshed(SiteNews)
    /// The database cannot be reached, or refuses to write.
    case databaseLost
    case joined(LinkID, Result<SiteBox, SiteRefusal>)
    /// `SiteEffect.store` was tried. The next `refreshed` shows whether it succeeded.
    case stored(LinkID?)
    case renewed(LinkID, RenewalWish, RenewalAnswer)
    /// The site's answer to a phone whose messages that box carries.
    case carryAnswered(LinkID, CarriedMessage)
    /// The site has nothing more to send to that phone.
    case carryOver(LinkID, CarryNumber)
    case held(LinkID, HeldWish, HeldResult)
    /// A grant was issued for an administrator, or for an enrolment that an administrator confirmed.
    case grantIssued
    /// A phone was told that it is enrolled.
    case phoneEnrolled
    /// The present problems of the directory of users.
    case directorySaid([DirectoryAlarm])
    /// The audit table does not go on from the newest entry that this server has accepted.
    case auditDiffers(SiteAuditWalk.Fault)
    /// A minute has passed since the last survey of the whole site.
    case surveyDue
    /// The result of `SiteEffect.survey`, if the database has answered.
    case surveyed(SiteSurvey)
    /// The server has tried to store a change. Nil if it was stored, or else the problem and what to do about it.
    case triedToWrite(String?)
    case enrolledSelf(LinkID, SelfEnrolmentTask, SelfEnrolmentResult)
    /// The administrator has checked the clocks.
    case clockAccepted
    /// The files with issuer keys were read again.
    case keysFound(IssuerKeys)
    /// Every deadline up to now is due. Deadlines are also checked at every other event.
    case timeHasCome
}

/// An action of a server. Actions are performed in order.
public enum SiteEffect: Sendable, Equatable {
    case say(LinkID, MessageFromSite)
    /// Asks for `drained` once most messages to the box are sent.
    case tellWhenDrained(LinkID)
    /// Closes the link once everything before is sent.
    case close(LinkID)
    /// A box has proved the secret of a join code. One transaction decides whether it joins, and records the result.
    case join(LinkID, key: [UInt8], codeID: [UInt8])
    /// Stores verified entries that the database lacks, with numbers above `above` and the database's own. Without a
    /// link, the entries come from this server instead of a box.
    case store(LinkID?, [Revocation], above: UInt64)
    /// Removes a box that has left, as the administrator would.
    case remove(SiteBox, reason: String)
    /// One transaction decides whether a phone gets another grant, and records the result. `renewed` always follows.
    case renew(LinkID, RenewalWish)
    /// A message of a phone that wants to enrol. The first message of each carry begins an enrolment.
    case carry(LinkID, CarriedMessage)
    /// The phone of that carry has left, or was cut off.
    case endCarry(LinkID, CarryNumber)
    /// A phone's request about the credential that the site holds. A try is spent durably before its PIN is compared.
    /// `held` follows in any case.
    case hold(LinkID, HeldWish)
    /// Records these boxes as seen, and makes a survey of the whole site. A box is silent after `silentDays` days.
    case survey(seen: [SeenBox], silentDays: Int)
    /// A user at a box enrols a phone of their own. `enrolledSelf` follows, except after the order `end`.
    case enrolSelf(LinkID, SelfEnrolmentTask)
    /// Suspends a box, because two boxes have its key.
    case suspend(SiteBox, reason: String)
    case log(SiteLogLine)
}

public struct SiteLogLine: Sendable, Equatable {
    public enum Level: Sendable, Equatable { case error, warning, notice }

    public let level: Level
    public let text: String

    public init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
}
