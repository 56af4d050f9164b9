import Names

/// The actor that caused an entry of the audit log.
public struct ActorListing: Equatable, Sendable {
    public enum Kind: String, Sendable {
        case agent, phone, person, program
    }

    public var kind = Kind.agent
    /// A phone's id, a person's login name or a program's PAM service.
    public var name: [UInt8]?
    /// A program's terminal.
    public var place: [UInt8]?
    /// The uid of a person's command.
    public var uid: UInt64?

    package init() {}

    public init(kind: Kind, name: [UInt8]? = nil, place: [UInt8]? = nil, uid: UInt64? = nil) {
        self.kind = kind
        self.name = name
        self.place = place
        self.uid = uid
    }
}

/// One entry of the audit log.
public struct AuditListing: Equatable, Sendable {
    public var number: UInt64 = 0
    public var unixSeconds: UInt64 = 0
    /// The event as a fixed word, such as `device-enrolled`.
    public var event: [UInt8] = []
    public var user: [UInt8]?
    public var device: [UInt8]?
    public var detail: [UInt8] = []
    /// Nil in entries from before the log had actors.
    public var actor: ActorListing?

    package init() {}

    public init(
        number: UInt64, unixSeconds: UInt64, event: [UInt8], user: [UInt8]?, device: [UInt8]?, detail: [UInt8],
        actor: ActorListing?
    ) {
        self.number = number
        self.unixSeconds = unixSeconds
        self.event = event
        self.user = user
        self.device = device
        self.detail = detail
        self.actor = actor
    }
}

extension ActorListing.Kind: FieldWord {}

extension ActorListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("kind", &kind)
        try coder.bytes("name", &name, limit: UserName.byteLimit)
        try coder.bytes("place", &place, limit: UserName.byteLimit)
        try coder.number("uid", &uid, limit: UInt64(UInt32.max))
    }
}

extension AuditListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("number", &number)
        try coder.number("seconds", &unixSeconds)
        try coder.bytes("event", &event, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
        try coder.bytes("detail", &detail, limit: ControlLimits.textBytes)
        try coder.record("actor", &actor)
    }
}
