#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// One session on the box, as `boxagent sessions` and the session commands show it.
public struct SessionListing: Equatable, Sendable {
    public enum State: UInt64, Sendable {
        case active = 0
        case locked = 1
        /// It ends: logind waits for its processes.
        case closing = 2
    }

    /// What became of what was asked for the session.
    public enum Outcome: UInt64, Sendable {
        case done = 0
        /// There is no way to do it.
        case cannot = 1
        case failed = 2
    }

    /// XDG_SESSION_ID; empty where pam_systemd does not run.
    public var id: [UInt8]
    public var user: [UInt8]
    /// Seat and terminal, as `seat0 tty2`.
    public var place: [UInt8]
    /// logind's type: `tty`, `x11`, `wayland`, …
    public var type: [UInt8]
    public var state: State
    /// Whether something in the session answers Lock.
    public var canLock: Bool
    /// The device whose login opened it.
    public var device: [UInt8]?
    public var outcome: Outcome?
    /// Why it could not be done; empty otherwise.
    public var reason: [UInt8]

    public init(
        id: [UInt8], user: [UInt8], place: [UInt8], type: [UInt8], state: State, canLock: Bool, device: [UInt8]?,
        outcome: Outcome? = nil, reason: [UInt8] = []
    ) {
        self.id = id
        self.user = user
        self.place = place
        self.type = type
        self.state = state
        self.canLock = canLock
        self.device = device
        self.outcome = outcome
        self.reason = reason
    }

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        id = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        user = try reader.readBoundedBytes(in: input, limit: AgentLimits.userBytes)
        place = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        type = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        guard let state = State(rawValue: try reader.readUnsigned(in: input)) else { throw .unknown }
        self.state = state
        canLock = try reader.readBool(in: input)
        device = try reader.readOptionalBytes(in: input, limit: AgentLimits.labelBytes)
        if let number = try reader.readOptionalUnsigned(in: input, limit: 2) {
            guard let outcome = Outcome(rawValue: number) else { throw .unknown }
            self.outcome = outcome
        }
        reason = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeFields(20, count: 9, [id, user, place, type], to: &output)
        try writer.writeUnsigned(state.rawValue, to: &output)
        try writer.writeBool(canLock, to: &output)
        try writer.writeOptionalBytes(device, to: &output)
        try writer.writeOptionalUnsigned(outcome?.rawValue, to: &output)
        try writer.writeBytes(reason, to: &output)
    }
}
