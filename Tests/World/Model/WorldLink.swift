import AgentCore
import Links
import Names
import PhoneCore
import PhoneMessages

/// One link: the box's real end of it, what is on the air, and what was seen of it.
struct WorldLink {
    static let binding: [UInt8] = [0x4D]
    static let limits = SegmentLimits(sentBytes: 120, receivedBytes: 120)

    /// Whose end is the other one.
    enum Owner {
        /// The errand of this phone, which knows the link by this number.
        case errand(phone: Int, OperationNumber)
        /// Somebody who breaks the rules, with the key of this phone or of nobody.
        case intruder(Intruder, phone: Int?)
        /// Whoever it was is gone; what was on the way still arrives.
        case nobody
    }

    /// What the channel asked of the vault.
    enum Lookup { case find([UInt8]), read([UInt8]) }

    struct Request {
        enum Kind { case lock, login, other }
        let kind: Kind
        let step: Int
    }

    let end: BoxEnd
    var owner: Owner
    /// Whose key is at the other end.
    let claimed: DeviceID?
    /// Segments that the phone's radio has, and that the box's has.
    var toBox: [[UInt8]] = []
    var toPhone: [[UInt8]] = []
    var lookups: [Lookup] = []
    var pingDue: Duration?
    /// The device that the agent was told it is.
    var device: DeviceID?
    var isAdmitted = false
    var isMuted = false
    /// The agent has ended it.
    var isFinished = false
    /// The box's end has closed it.
    var isClosed = false
    /// Requests without their result.
    var open: [RequestID: Request] = [:]
    /// What its phone has sent, for those who replay; the first of it.
    var recorded: [[UInt8]] = []
}

extension PhoneRequest {
    var kind: WorldLink.Request.Kind {
        switch self {
        case .lock: .lock
        case .login, .loginWithPIN, .elevate, .elevateWithPIN: .login
        default: .other
        }
    }
}
