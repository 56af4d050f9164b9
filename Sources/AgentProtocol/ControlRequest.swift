#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// What a session command does.
public enum SessionAction: UInt64, Sendable, CaseIterable {
    case lock = 1
    case unlock = 2
    case logout = 3
}

/// Which sessions a command is about. Only root may name sessions that are not the caller's own.
public enum SessionSelection: Equatable, Sendable {
    case own
    case session([UInt8])
    case user([UInt8])
    case all
}

/// Which box-held credentials are destroyed.
public enum WipeSelection: Equatable, Sendable {
    case device([UInt8])
    case user([UInt8])
    case all
}

/// `boxagent` → agent. On the wire `[kind, version, …]`, one SOCK_SEQPACKET message each.
///
/// One request is under way on a connection at a time; `confirmEnrolment` answers a reply of `enrol`. The
/// replies of a request end with `done` or `failure`.
public enum ControlRequest: Equatable, Sendable {
    case status
    case identity
    /// A code for a new phone of `user`; `confirmed` skips the comparison of the six digits.
    case enrol(user: [UInt8], label: [UInt8], boxHeld: Bool, confirmed: Bool)
    /// Whether the phone shows these digits, the ones that the agent gave: the answer is about no other phone.
    case confirmEnrolment(digits: [UInt8], accept: Bool)
    /// A device by its id or a unique beginning of it.
    case revoke(device: [UInt8])
    case revokeUser([UInt8])
    case devices
    /// Entries with a number above `after`, oldest first, at most `limit`.
    case audit(after: UInt64, limit: UInt64)
    case verifyAudit
    /// Closed segments with a number above `after`, oldest first, at most 100; `sealing` closes what is open before.
    case auditSegments(after: UInt64, sealing: Bool)
    /// Drops all segments up to the one of this number, for good.
    case pruneAudit(through: UInt64)
    case wipe(WipeSelection)
    case doctor
    /// Waits for a tap as a login would and says what arrived; nobody is logged in.
    case testLogin(user: [UInt8]?, waitSeconds: UInt64)
    /// Replies with what became of each session, as `session` does.
    case session(SessionAction, SessionSelection)
    /// The sessions there are: all of them for root, else the caller's own.
    case sessions
    /// The connection is a helper's of the caller in this logind session: it answers Lock and Unlock while it is open.
    /// After `done` come `notice` replies, unasked.
    case sessionHelper(session: [UInt8])
    /// The helper of this connection could not lock its session just now: why. Nothing is answered.
    case lockRefused(reason: [UInt8])
    /// A greeter on `terminal` follows box ID, radio and taps: a reply now and after each change, without an end.
    case greet(terminal: [UInt8])
    /// The greeter of this connection is about to log `user` in: the tap is shown to no other one.
    case claimTap(user: [UInt8])
    /// For each phone that is here or owns a session, why it counts as present, near or away.
    case explainPresence

    public static func decode(_ input: RawSpan) throws(WireError) -> ControlRequest {
        var reader = CBORReader()
        let head = try reader.readMessageHead(in: input)
        guard head.fields >= 1, try reader.readUnsigned(in: input) == AgentLimits.protocolVersion else {
            throw .unknown
        }
        let request = try decode(kind: head.kind, fields: head.fields - 1, &reader, input)
        try reader.finish(in: input)
        return request
    }

    private static func decode(
        kind: UInt64, fields: Int, _ reader: inout CBORReader, _ input: RawSpan
    ) throws(WireError) -> ControlRequest {
        switch (kind, fields) {
        case (1, 0): return .status
        case (2, 0): return .identity
        case (3, 4):
            return .enrol(
                user: try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes),
                label: try reader.readBoundedText(in: input, limit: AgentLimits.labelBytes),
                boxHeld: try reader.readBool(in: input), confirmed: try reader.readBool(in: input))
        case (4, 2):
            return .confirmEnrolment(
                digits: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes),
                accept: try reader.readBool(in: input))
        case (5, 1): return .revoke(device: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes))
        case (6, 1): return .revokeUser(try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes))
        case (7, 0): return .devices
        case (8, 2):
            return .audit(after: try reader.readUnsigned(in: input), limit: try reader.readUnsigned(in: input))
        case (9, 0): return .verifyAudit
        case (30, 2):
            return .auditSegments(
                after: try reader.readUnsigned(in: input), sealing: try reader.readBool(in: input))
        case (31, 1): return .pruneAudit(through: try reader.readUnsigned(in: input))
        case (10, 1): return .wipe(.device(try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)))
        case (11, 1): return .wipe(.user(try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes)))
        case (12, 0): return .wipe(.all)
        case (13, 0): return .doctor
        case (14, 2):
            return .testLogin(
                user: try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes),
                waitSeconds: try reader.readUnsigned(in: input, limit: AgentLimits.waitSeconds))
        case (15, 3): return try decodeSession(&reader, input)
        case (20, 0): return .sessions
        case (21, 1):
            return .sessionHelper(session: try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes))
        case (16, 1):
            return .greet(terminal: try reader.readBoundedBytes(in: input, limit: AgentLimits.terminalBytes))
        case (17, 1): return .claimTap(user: try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes))
        case (18, 0): return .explainPresence
        case (30, 1):
            return .lockRefused(reason: try reader.readBoundedBytes(in: input, limit: AgentLimits.reasonBytes))
        default: throw .unknown
        }
    }

    private static func decodeSession(
        _ reader: inout CBORReader, _ input: RawSpan
    ) throws(WireError) -> ControlRequest {
        guard let action = SessionAction(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
        let selection = try reader.readUnsigned(in: input)
        let name = try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes)
        switch (selection, name) {
        case (0, nil): return .session(action, .own)
        case (1, .some(let id)): return .session(action, .session(id))
        case (2, .some(let user)): return .session(action, .user(user))
        case (3, nil): return .session(action, .all)
        default: throw .unknown
        }
    }

    public func encode(into output: inout MutableRawSpan) throws(WireError) -> Int {
        var writer = CBORWriter()
        switch self {
        case .status: try writer.writeControlHead(1, fields: 0, to: &output)
        case .identity: try writer.writeControlHead(2, fields: 0, to: &output)
        case .enrol(let user, let label, let boxHeld, let confirmed):
            try writer.writeControlHead(3, fields: 4, to: &output)
            try writer.writeBytes(user, to: &output)
            try writer.writeText(label, to: &output)
            try writer.writeBool(boxHeld, to: &output)
            try writer.writeBool(confirmed, to: &output)
        case .confirmEnrolment(let digits, let accept):
            try writer.writeControlHead(4, fields: 2, to: &output)
            try writer.writeBytes(digits, to: &output)
            try writer.writeBool(accept, to: &output)
        case .revoke(let device): try writer.writeControl(5, device, to: &output)
        case .revokeUser(let user): try writer.writeControl(6, user, to: &output)
        case .devices: try writer.writeControlHead(7, fields: 0, to: &output)
        case .audit(let after, let limit):
            try writer.writeControlHead(8, fields: 2, to: &output)
            try writer.writeUnsigned(after, to: &output)
            try writer.writeUnsigned(limit, to: &output)
        case .verifyAudit: try writer.writeControlHead(9, fields: 0, to: &output)
        case .auditSegments(let after, let sealing):
            try writer.writeControlHead(30, fields: 2, to: &output)
            try writer.writeUnsigned(after, to: &output)
            try writer.writeBool(sealing, to: &output)
        case .pruneAudit(let number):
            try writer.writeControlHead(31, fields: 1, to: &output)
            try writer.writeUnsigned(number, to: &output)
        case .wipe(.device(let device)): try writer.writeControl(10, device, to: &output)
        case .wipe(.user(let user)): try writer.writeControl(11, user, to: &output)
        case .wipe(.all): try writer.writeControlHead(12, fields: 0, to: &output)
        case .doctor: try writer.writeControlHead(13, fields: 0, to: &output)
        case .testLogin(let user, let waitSeconds):
            try writer.writeControlHead(14, fields: 2, to: &output)
            try writer.writeOptionalBytes(user, to: &output)
            try writer.writeUnsigned(waitSeconds, to: &output)
        case .session(let action, let selection):
            try writer.writeControlHead(15, fields: 3, to: &output)
            try writer.writeUnsigned(action.rawValue, to: &output)
            try writer.writeSelection(selection, to: &output)
        case .sessions: try writer.writeControlHead(20, fields: 0, to: &output)
        case .sessionHelper(let session): try writer.writeControl(21, session, to: &output)
        case .greet(let terminal): try writer.writeControl(16, terminal, to: &output)
        case .claimTap(let user): try writer.writeControl(17, user, to: &output)
        case .explainPresence: try writer.writeControlHead(18, fields: 0, to: &output)
        case .lockRefused(let reason): try writer.writeControl(30, reason, to: &output)
        }
        return writer.offset
    }
}

extension CBORWriter {
    fileprivate mutating func writeControlHead(
        _ kind: UInt64, fields: Int, to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeMessageHead(kind, fields: fields + 1, to: &output)
        try writeUnsigned(AgentLimits.protocolVersion, to: &output)
    }

    fileprivate mutating func writeControl(
        _ kind: UInt64, _ value: [UInt8], to output: inout MutableRawSpan
    ) throws(WireError) {
        try writeControlHead(kind, fields: 1, to: &output)
        try writeBytes(value, to: &output)
    }

    fileprivate mutating func writeSelection(
        _ selection: SessionSelection, to output: inout MutableRawSpan
    ) throws(WireError) {
        let (number, name): (UInt64, [UInt8]?)
        switch selection {
        case .own: (number, name) = (0, nil)
        case .session(let id): (number, name) = (1, id)
        case .user(let user): (number, name) = (2, user)
        case .all: (number, name) = (3, nil)
        }
        try writeUnsigned(number, to: &output)
        try writeOptionalBytes(name, to: &output)
    }
}
