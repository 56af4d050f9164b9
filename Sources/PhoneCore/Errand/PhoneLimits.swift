/// The phone's timeouts, and the numbers of its tries.
public struct PhoneLimits: Sendable, Equatable {
    /// The length of a scan for boxes.
    public var scan: Duration = .seconds(4)
    /// How long a scan goes on after it has heard the wanted digits at another address than usual, for a second box with
    /// the same key. An adapter that chooses its own interval advertises every 1.28 s. Zero takes the first box.
    public var company: Duration = .milliseconds(1_500)
    /// False in the web page's core, which is handed one chosen device and must stay small.
    static var hearsOthers: Bool {
        #if hasFeature(Embedded)
            false
        #else
            true
        #endif
    }
    /// The time to link to a box that was seen. CoreBluetooth's connect never ends by itself.
    public var connect: Duration = .seconds(10)
    /// The time to read the identity and subscribe, once the link is up.
    public var identity: Duration = .seconds(5)
    /// The time from message 1 to message 2.
    public var handshake: Duration = .seconds(5)
    /// The time to the first answer to a request. Most requests have only one answer.
    public var firstAnswer: Duration = .seconds(20)
    /// The time for an act on the session: the administrator may allow the box's commands two minutes.
    public var session: Duration = .seconds(130)
    /// The time from a login's first answer to its verdict. The box holds a credential for up to 30 s, and gives the
    /// login program up to ten minutes, as the administrator sets it. A dead link ends the wait earlier.
    public var verdict: Duration = .seconds(660)
    /// The time from giving up a login to the box's reply. A program with the password may delay its verdict for 2 s.
    public var withdrawal: Duration = .seconds(5)
    /// The time for the administrator to confirm an enrolment. A code lives an hour at most; the box reports its end.
    public var confirmation: Duration = .seconds(3_660)
    /// The time for the last writes, before a link ends.
    public var farewell: Duration = .seconds(2)
    /// A box counts as unreachable after this many links, or after the time `reach`. The pauses between links double.
    /// Bluetooth refuses links for a moment after a box is switched on, and after a connection has ended.
    public var connectAttempts = 5
    public var reach: Duration = .seconds(12)
    /// The unanswered handshakes that count as a refusal.
    public var handshakeAttempts = 2
    /// The pause between two tries of one box.
    public var betweenAttempts: Duration = .milliseconds(250)
    /// During a watch: the longest pause between two tries. The first is `betweenAttempts`, and each next one doubles.
    public var longestPause: Duration = .seconds(30)
    /// During a watch: the interval of a request that keeps the channel from going idle and detects a dead link.
    public var keepAlive: Duration = .seconds(60)
    /// During a watch: the age at which a new channel replaces the old one. Channels live an hour at most.
    public var watchedChannel: Duration = .seconds(3_000)
    /// During a watch: the interval of signal reports.
    public var report: Duration = .seconds(1)
    /// During a watch: the most taps that wait for an earlier one.
    public var waitingTaps = 4
    /// The most boxes that one scan lists.
    public var seenBoxes = 64

    public init() {}
}
