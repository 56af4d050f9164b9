import AgentCore
import Names
import PhoneMessages
import Secrets
import VaultPort

/// The invariants that must hold after every step, and the state needed to check them.
struct Judge {
    /// The most operations under way at once. Each phone may have four requests, and the world bounds the others.
    static let operationLimit = 400
    /// The most segments that either side gives its radio before the radio takes one: a window, and acknowledgements.
    static let segmentLimit = 64
    /// The most bytes of a phone's messages that the box keeps: two messages.
    static let keptLimit = 2 * 65_536
    /// The most vault commands that a fresh phone's login waits for: one PIN of each other device, and audit entries.
    static let commandsAhead = 200
    /// The most delay of a lock after its request or due time, and of a logout after its due time. The agent orders
    /// both while it handles the request or the timer, before any other answer. Only an earlier ping from the person's
    /// own phone can take time, because that ping waits for one ping of each other channel. A ping costs 24 KiB, at
    /// 8 MiB a second. Ten phones with four channels each add up to an eighth of a second.
    static let delayLimit: Duration = .seconds(1)
    /// The most requests of one channel under way. One more is answered `busy`.
    static let openLimit = 4

    /// A password that a phone has sent, or stored at the box.
    struct Sent {
        let device: DeviceID
        let user: [UInt8]
        /// True if the box stores the password, and may deliver it at each correct PIN.
        let isStored: Bool
        var isUsed = false
    }

    /// A secret that a phone has sent or the vault has opened.
    struct Origin {
        weak var secret: HeldSecret?
        let device: DeviceID
        let user: [UInt8]
        /// The channel on which the secret came, or nil if the vault opened the secret.
        let channel: ChannelID?
        var isUsed = false
    }

    private(set) var violation: String?
    var effects = 0
    var sights = Sights()
    var origins: [Origin] = []
    /// The passwords that exist, each under its text. No two passwords share a text.
    var sent: [[UInt8]: Sent] = [:]
    /// For each device, the last step in which a program accepted its credential.
    var opened: [DeviceID: Int] = [:]
    /// The public key of the phone whose digits the administrator compared last.
    var compared: [UInt8]?
    /// Devices whose revocation was ordered. This run of the agent must ignore their requests from then on.
    var barred: Set<DeviceID> = []
    /// Devices whose revocation was reported as done.
    var revoked: Set<DeviceID> = []
    /// The steps at which sessions were last locked.
    var lockedAt: [[UInt8]: Int] = [:]
    /// Devices that have sent a report to this run of the agent.
    var reporting: Set<DeviceID> = []
    /// The times at which the agent last ordered a lock.
    var lockOrders: [[UInt8]: Duration] = [:]
    var sleepingSince: Duration?
    var isFallingAsleep = false
    /// The locks that delay the machine's sleep.
    var sleepActs: Set<OperationID> = []
    /// Programs that asked for an elevation, which do not need a seat.
    var elevations: Set<ProgramID> = []
    /// The number of timers that fired one after another at the same time.
    var overdue = 0
    /// True at the end, when no more faults occur.
    var isQuiet = false
    var step = 0

    mutating func fail(_ what: String) {
        if violation == nil { violation = what }
    }

    mutating func came(_ secret: HeldSecret, from device: DeviceID, _ user: [UInt8], on channel: ChannelID?) {
        origins.removeAll { $0.secret == nil }
        origins.append(Origin(secret: secret, device: device, user: user, channel: channel))
    }

    func device(of secret: HeldSecret) -> DeviceID? { origins.first { $0.secret === secret }?.device }

    /// Checks that an unrevoked, authenticated phone sent this credential for this user, and that a program gets it
    /// only once.
    ///
    /// - Parameter links: The open links.
    mutating func given(_ secret: HeldSecret, user: [UInt8], links: [ChannelID: WorldLink]) {
        guard let index = origins.firstIndex(where: { $0.secret === secret }) else {
            return fail("a program got a credential that nobody sent")
        }
        let origin = origins[index]
        if origin.isUsed { fail("a credential was given twice") }
        if origin.user != user { fail("a credential of another user was given") }
        if barred.contains(origin.device) || revoked.contains(origin.device) {
            fail("a credential of a revoked phone was given")
        }
        if let channel = origin.channel, links[channel]?.isFinished ?? true {
            fail("a tap was served whose phone had left")
        }
        origins[index].isUsed = true
        let text = secret.text
        guard let known = sent[text], known.device == origin.device, known.user == user, known.isStored || !known.isUsed
        else {
            return fail("a program got a password that this phone has not sent, or had already")
        }
        sent[text]?.isUsed = true
        sights.note(.credentialsGiven)
    }
}
