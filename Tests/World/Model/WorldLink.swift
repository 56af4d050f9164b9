import AgentCore
import Links
import Names
import PhoneCore
import PhoneMessages

/// One link: the box's real end, the segments in the air, and a record of both.
struct WorldLink {
    static let binding: [UInt8] = [0x4D]
    static let limits = SegmentLimits(sentBytes: 120, receivedBytes: 120)

    /// The other end of the link.
    enum Owner {
        /// The operation of this phone, which knows the link by this number.
        case errand(phone: Int, OperationNumber)
        /// An intruder, with the key of this phone or without a known key.
        case intruder(Intruder, phone: Int?)
        /// The other end is gone. Segments in transit still arrive.
        case nobody
    }

    /// A channel's question to the vault.
    enum Lookup { case find([UInt8]), read([UInt8]) }

    struct Request {
        enum Kind { case lock, login, other }
        let kind: Kind
        let step: Int
    }

    let end: BoxEnd
    var owner: Owner
    /// The device whose key the other end has.
    let claimed: DeviceID?
    /// The segments that the phone's radio still has, and those that the box's radio still has.
    var toBox: [[UInt8]] = []
    var toPhone: [[UInt8]] = []
    var lookups: [Lookup] = []
    var pingDue: Duration?
    /// The device that the box has reported to the agent.
    var device: DeviceID?
    var isAdmitted = false
    var isMuted = false
    /// True after the agent has ended the channel.
    var isFinished = false
    /// True after the box's end has closed the link.
    var isClosed = false
    /// The requests without a result.
    var open: [RequestID: Request] = [:]
    /// The first segments that the phone or intruder sent, for replays.
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
