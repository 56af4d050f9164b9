/// How long the phone waits, and how often it tries. Every wait in PhoneKit is one of these.
public struct PhoneLimits: Sendable, Equatable {
    /// Looking for boxes.
    public var scan: Duration = .seconds(4)
    /// A link to a box that was seen. CoreBluetooth's connect never ends by itself.
    public var connect: Duration = .seconds(10)
    /// Reading the identity and subscribing, once the link is up.
    public var identity: Duration = .seconds(5)
    /// From message 1 to message 2.
    public var handshake: Duration = .seconds(5)
    /// The first answer to a request; also the only one of most requests.
    public var firstAnswer: Duration = .seconds(20)
    /// An act on the session: the administrator may give the commands that do it two minutes.
    public var session: Duration = .seconds(130)
    /// From a login's first answer to its verdict: the box holds a credential for up to 30 s, and gives the login
    /// program up to ten minutes, as the administrator sets it. A link that dies meanwhile is noticed by itself.
    public var verdict: Duration = .seconds(660)
    /// From giving up a login to what the box says of it: a program that has the password may delay its verdict for 2 s.
    public var withdrawal: Duration = .seconds(5)
    /// The administrator's confirmation of an enrolment: a code lives an hour at most, and the box says when it is
    /// over.
    public var confirmation: Duration = .seconds(3_660)
    /// What was written last, before a link ends.
    public var farewell: Duration = .seconds(2)
    /// Links that are tried before a box counts as out of reach, and how long; pauses between them double. A box's
    /// Bluetooth refuses for a moment after it was switched on, and after a connection has ended.
    public var connectAttempts = 5
    public var reach: Duration = .seconds(12)
    /// Handshakes that a box may leave unanswered before that counts as a refusal.
    public var handshakeAttempts = 2
    /// Between two tries of one box.
    public var betweenAttempts: Duration = .milliseconds(250)
    /// While watching: the longest pause between two tries; the first is `betweenAttempts`, each doubles.
    public var longestPause: Duration = .seconds(30)
    /// While watching: a question that keeps the channel from going idle, and notices a dead link.
    public var keepAlive: Duration = .seconds(60)
    /// While watching: the age at which a channel gives way to a new one; channels live an hour at most.
    public var watchedChannel: Duration = .seconds(3_000)
    /// While watching: between two reports of the signal.
    public var report: Duration = .seconds(1)
    /// While watching: taps that wait for the one before.
    public var waitingTaps = 4
    /// Boxes that one scan remembers; more are not listed.
    public var seenBoxes = 64

    public init() {}
}
