#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// Why the agent gives no credential. The program's ordinary prompt comes next, so a reason is for logs.
public enum UnavailableReason: UInt64, Sendable {
    /// Nobody tapped within the time.
    case noTap = 0
    /// The service is not named in the policy.
    case serviceNotAllowed = 1
    /// The caller comes over a network.
    case remote = 2
    /// The caller may not be given credentials (SO_PEERCRED).
    case callerNotAllowed = 3
    /// Two programs waited for one tap.
    case busy = 4
    /// The agent is ending, or cannot reach its vault.
    case agentFault = 5
    /// The tap was withdrawn or the phone revoked.
    case withdrawn = 6
    /// No phone of the user that could allow it is connected.
    case noPhone = 7
    /// The person did not allow it on the phone.
    case declined = 8
    /// The program was not called in an unlocked session at this machine's seat.
    case notAtSeat = 9
}

/// Agent → PAM module. On the wire `[kind, …]`.
public enum PAMReply: Equatable, Sendable {
    /// The agent waits for a tap; repeated each second as a sign of life. Carries the box ID to show.
    case waiting(boxID: [UInt8])
    /// As `waiting`, while the phone shows the person what is asked, and they have to allow it.
    case asking(boxID: [UInt8])
    /// The credential: its bytes stay in the receive buffer, where its owner wipes them.
    case credential(user: [UInt8], authtok: Range<Int>)
    case unavailable(UnavailableReason)
    /// The event was noted; sent for `passwordChanged` only.
    case noted

    public static func decode(_ input: RawSpan) throws(WireError) -> PAMReply {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        let reply: PAMReply
        switch (head.kind, head.fields) {
        case (1, 1):
            reply = .waiting(boxID: try reader.readBoundedBytes(in: input, limit: PAMLimits.boxIDBytes))
        case (2, 2):
            let user = try reader.readBoundedBytes(in: input, limit: UserName.byteLimit)
            let authtok = try reader.readBytes(in: input, limit: PAMLimits.credentialBytes)
            guard user.count >= 1, authtok.count >= 1 else { throw .outOfRange }
            reply = .credential(user: user, authtok: authtok)
        case (3, 1):
            guard let reason = UnavailableReason(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
            reply = .unavailable(reason)
        case (4, 0): reply = .noted
        case (5, 1):
            reply = .asking(boxID: try reader.readBoundedBytes(in: input, limit: PAMLimits.boxIDBytes))
        default: throw .unknown
        }
        try reader.finish(in: input)
        return reply
    }

    /// Encodes what carries no secret; a credential has `encodeCredential`.
    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        switch self {
        case .waiting(let boxID):
            try writer.writeMessageHead(1, fields: 1, to: &output)
            try writer.writeBytes(boxID, to: &output)
        case .asking(let boxID):
            try writer.writeMessageHead(5, fields: 1, to: &output)
            try writer.writeBytes(boxID, to: &output)
        case .credential: throw .unknown
        case .unavailable(let reason):
            try writer.writeMessageHead(3, fields: 1, to: &output)
            try writer.writeUnsigned(reason.rawValue, to: &output)
        case .noted:
            try writer.writeMessageHead(4, fields: 0, to: &output)
        }
        return writer.offset
    }

    /// Encodes a credential into a buffer that the caller wipes.
    public static func encodeCredential(
        user: [UInt8], authtok: RawSpan, into output: inout MutableRawSpan
    ) throws(WireError) -> Int {
        var writer = CBORWriter()
        try writer.writeMessageHead(2, fields: 2, to: &output)
        try writer.writeBytes(user, to: &output)
        try writer.writeBytes(authtok, to: &output)
        return writer.offset
    }
}
