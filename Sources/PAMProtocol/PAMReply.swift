#if hasFeature(Embedded)
    import NamesEmbedded
    import WireEmbedded
#else
    import Names
    import Wire
#endif

/// The reason why the agent gives no credential, for logs. The program continues with its ordinary prompt.
public enum UnavailableReason: UInt64, Sendable {
    /// No tap came within the time.
    case noTap = 0
    /// The policy does not list the service.
    case serviceNotAllowed = 1
    /// The caller comes over a network.
    case remote = 2
    /// The caller may not get credentials (SO_PEERCRED).
    case callerNotAllowed = 3
    /// Other programs wait for the same tap, or the phone was asked a moment ago.
    case busy = 4
    /// The agent is ending, or cannot reach its vault.
    case agentFault = 5
    /// The tap was withdrawn, or the phone was revoked.
    case withdrawn = 6
    /// No connected phone of the user could allow the request.
    case noPhone = 7
    /// The user did not allow the request on the phone.
    case declined = 8
    /// The program was not called in an unlocked session at this machine's seat.
    case notAtSeat = 9
}

/// A message from the agent to the PAM module, on the wire `[kind, …]`.
public enum PAMReply: Equatable, Sendable {
    /// The agent waits for a tap. Repeated each second as a heartbeat. Has the box ID to show.
    case waiting(boxID: [UInt8])
    /// Like `waiting`, while the phone asks the user to allow the request.
    case asking(boxID: [UInt8])
    /// The credential. Its bytes stay in the receive buffer, whose owner wipes them.
    case credential(user: [UInt8], authtok: Range<Int>)
    case unavailable(UnavailableReason)
    /// The event was recorded. Sent only for `passwordChanged`.
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

    /// Encodes a reply without a secret. See `encodeCredential` for a credential.
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
