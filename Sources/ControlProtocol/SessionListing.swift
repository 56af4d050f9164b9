import Names

/// One session on the box, for `boxagent sessions` and the session commands.
public struct SessionListing: Equatable, Sendable {
    public enum State: String, Sendable {
        case active, locked
        /// The session ends, and logind waits for its processes.
        case closing
    }

    /// The outcome of the requested action on the session.
    public enum Outcome: String, Sendable {
        case done
        /// The box has no means to perform the action.
        case cannot
        case failed
    }

    /// XDG_SESSION_ID. Empty if pam_systemd does not run.
    public var id: [UInt8] = []
    public var user: [UInt8] = []
    /// Seat and terminal, such as `seat0 tty2`.
    public var place: [UInt8] = []
    /// The type from logind: `tty`, `x11`, `wayland`, …
    public var type = ""
    public var state = State.active
    /// True if a program in the session handles logind's Lock.
    public var canLock = false
    /// The device whose login opened the session.
    public var device: [UInt8]?
    public var outcome: Outcome?
    /// The reason for a failure, or empty.
    public var reason = ""

    package init() {}

    public init(
        id: [UInt8], user: [UInt8], place: [UInt8], type: String, state: State, canLock: Bool, device: [UInt8]?,
        outcome: Outcome? = nil, reason: String = ""
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
}

extension SessionAction: FieldWord {}
extension SessionListing.State: FieldWord {}
extension SessionListing.Outcome: FieldWord {}

extension SessionListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.bytes("id", &id, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        try coder.bytes("place", &place, limit: ControlLimits.labelBytes)
        try coder.text("session-type", &type, limit: ControlLimits.labelBytes)
        try coder.word("state", &state)
        try coder.flag("can-lock", &canLock)
        try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
        try coder.word("outcome", &outcome)
        try coder.text("reason", &reason, limit: ControlLimits.textBytes)
    }
}
