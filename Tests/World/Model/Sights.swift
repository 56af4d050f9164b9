/// A kind of event that an invariant is about. Each kind is counted, because an event that never occurs proves nothing.
public enum Sight: String, CaseIterable, Sendable {
    case credentialsGiven = "credentials given"
    case elevationsGiven = "of them for elevation"
    case sessionsOwned = "sessions owned"
    case locksDone = "locks that phones were told of"
    case locksInTime = "locks that phones asked for, ordered in time"
    case absencesInTime = "locks of absent phones' sessions, ordered in time"
    case absentLogouts = "logouts ordered while the phone was away"
    case logoutsOrdered = "logouts ordered"
    case warnings = "logout warnings"
    case revocations = "revocations called done"
    case wipes = "credentials wiped"
    case enrolments = "enrolment codes shown"
    case pinsWrong = "wrong PINs"
    case sleeps = "sleeps allowed"
    case crashes = "agents killed"
    case reboots = "machines started anew"
    case failures = "failed vault commands"
    case refusals = "programs refused"
    case tapsClaimed = "states that greeters were shown"
    case errandsBegun = "errands begun"
    case errandsEnded = "of them ended"
    case loginsCorrect = "phones told that they are logged in"
    case devicesEnrolled = "phones told that they are enrolled"
    case phonesProved = "channels that proved a phone"
    case phonesToldRevoked = "phones told that they are revoked"
    case channelsEnded = "channels ended by the box"
}

/// The counts of all sights.
public struct Sights: Sendable {
    public private(set) var counts: [Sight: Int] = [:]

    public init() {}

    mutating func note(_ sight: Sight) { counts[sight, default: 0] += 1 }

    public mutating func add(_ other: Sights) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    public var unseen: [Sight] { Sight.allCases.filter { counts[$0] == nil } }
}
