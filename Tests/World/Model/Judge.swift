import AgentCore
import Names
import PhoneMessages
import Secrets
import VaultPort

/// What must hold after every step, and what is remembered to see it.
struct Judge {
    /// Operations under way at once: phones may have four requests each, and the rest is bounded by what there is.
    static let operationLimit = 400
    /// Segments that either side gives its radio before that takes any: a window, and acknowledgements.
    static let segmentLimit = 64
    /// Bytes that the box keeps of what a phone sent: two messages.
    static let keptLimit = 2 * 65_536
    /// Vault commands that a fresh phone's login waits for: one PIN of each other device, and what the ledger writes.
    static let commandsAhead = 200
    /// How late a lock may be after it was ordered or its time has come, and a logout after its time. The agent orders both in
    /// the event in which it hears of them, and nobody's answer comes before: what may take time is a ping that the person's own
    /// phone has sent ahead of the order, and that waits for one of each other channel, 24 KiB each of 8 MiB in a second. The
    /// channels of ten phones, four each, come to an eighth of a second.
    static let delayLimit: Duration = .seconds(1)
    /// Requests of one channel that are under way: one more is answered `busy`.
    static let openLimit = 4

    /// A password that a phone has sent, or had the box keep.
    struct Sent {
        let device: DeviceID
        let user: [UInt8]
        /// The box may give it as often as the right PIN comes.
        let isStored: Bool
        var isUsed = false
    }

    /// A secret that a phone has sent or the vault has opened.
    struct Origin {
        weak var secret: HeldSecret?
        let device: DeviceID
        let user: [UInt8]
        /// The channel that it came by; nil: the vault opened it.
        let channel: ChannelID?
        var isUsed = false
    }

    private(set) var violation: String?
    var effects = 0
    var sights = Sights()
    var origins: [Origin] = []
    /// By their text, which no two have in common.
    var sent: [[UInt8]: Sent] = [:]
    /// Steps in which a program that a device's credential was given to was satisfied with it.
    var opened: [DeviceID: Int] = [:]
    /// The public key of the phone whose digits the administrator has compared last.
    var compared: [UInt8]?
    /// Devices whose revocation was ordered: deaf from then on, as long as this agent runs.
    var barred: Set<DeviceID> = []
    /// Devices whose revocation was called done.
    var revoked: Set<DeviceID> = []
    /// Steps at which sessions were last locked.
    var lockedAt: [[UInt8]: Int] = [:]
    /// Devices that this run of the agent has had a report of.
    var reporting: Set<DeviceID> = []
    /// When the agent last ordered to lock them.
    var lockOrders: [[UInt8]: Duration] = [:]
    var sleepingSince: Duration?
    var isFallingAsleep = false
    /// Locks that the machine's sleep waits for.
    var sleepActs: Set<OperationID> = []
    /// Programs that asked for a password that the person allows: they need no seat of their own.
    var elevations: Set<ProgramID> = []
    /// Timers that fired one behind the other at the same time.
    var overdue = 0
    /// At the end nothing goes wrong any more.
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

    /// No credential reaches a program that an authenticated, unrevoked phone did not send for this user; each at most once.
    ///
    /// - Parameter links: Those that are open.
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
