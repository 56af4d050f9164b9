/// The phone's timeouts, and the numbers of its tries.
public struct PhoneLimits: Sendable, Equatable {
    /// The length of a scan for boxes.
    public var scan: Duration = .seconds(4)
    /// To link to a box that was seen. CoreBluetooth's connect never ends by itself.
    public var connect: Duration = .seconds(10)
    /// To read the identity and subscribe, once the link is up.
    public var identity: Duration = .seconds(5)
    /// From message 1 to message 2.
    public var handshake: Duration = .seconds(5)
    /// To the first answer to a request. Most requests have only this one.
    public var firstAnswer: Duration = .seconds(20)
    /// For an act on the session: the administrator may allow its commands two minutes.
    public var session: Duration = .seconds(130)
    /// From a login's first answer to its verdict. The box holds a credential for up to 30 s, and gives the login
    /// program up to ten minutes, as the administrator sets it. A dead link shows by itself.
    public var verdict: Duration = .seconds(660)
    /// From giving up a login to the box's reply. A program with the password may delay its verdict for 2 s.
    public var withdrawal: Duration = .seconds(5)
    /// For the administrator's confirmation of an enrolment. A code lives an hour at most; the box reports its end.
    public var confirmation: Duration = .seconds(3_660)
    /// For the last writes, before a link ends.
    public var farewell: Duration = .seconds(2)
    /// The links tried, and the time, before a box counts as unreachable. Pauses between them double. Bluetooth refuses
    /// for a moment after a box is switched on, and after a connection has ended.
    public var connectAttempts = 5
    public var reach: Duration = .seconds(12)
    /// The unanswered handshakes that count as a refusal.
    public var handshakeAttempts = 2
    /// Between two tries of one box.
    public var betweenAttempts: Duration = .milliseconds(250)
    /// During a watch: the longest pause between two tries. The first is `betweenAttempts`, and each next one doubles.
    public var longestPause: Duration = .seconds(30)
    /// During a watch: the interval of a request that keeps the channel from going idle and detects a dead link.
    public var keepAlive: Duration = .seconds(60)
    /// During a watch: the age at which a new channel replaces the old one. Channels live an hour at most.
    public var watchedChannel: Duration = .seconds(3_000)
    /// During a watch: the interval of signal reports.
    public var report: Duration = .seconds(1)
    /// During a watch: the taps that can wait for the previous one.
    public var waitingTaps = 4
    /// The boxes that one scan remembers. Others are not listed.
    public var seenBoxes = 64

    public init() {}
}
