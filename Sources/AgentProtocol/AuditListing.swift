#if hasFeature(Embedded)
    import WireEmbedded
#else
    import Wire
#endif

/// Who did what an entry of the audit log tells of.
public struct ActorListing: Equatable, Sendable {
    public enum Kind: UInt64, Sendable {
        case agent = 1
        case phone = 2
        case person = 3
        case program = 4
    }

    public var kind: Kind
    /// A phone's id, a person's login name, a program's PAM service.
    public var name: [UInt8]?
    /// A program's terminal.
    public var place: [UInt8]?
    /// The uid of a person's command.
    public var uid: UInt64?

    public init(kind: Kind, name: [UInt8]? = nil, place: [UInt8]? = nil, uid: UInt64? = nil) {
        self.kind = kind
        self.name = name
        self.place = place
        self.uid = uid
    }
}

/// One entry of the audit log.
public struct AuditListing: Equatable, Sendable {
    static let fields = 10

    public var number: UInt64
    public var unixSeconds: UInt64
    /// What happened, as a fixed word such as `device-enrolled`.
    public var event: [UInt8]
    public var user: [UInt8]?
    public var device: [UInt8]?
    public var detail: [UInt8]
    /// Nil in entries that were written before actors were.
    public var actor: ActorListing?

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

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        number = try reader.readUnsigned(in: input)
        unixSeconds = try reader.readUnsigned(in: input)
        event = try reader.readBoundedBytes(in: input, limit: AgentLimits.labelBytes)
        user = try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes)
        device = try reader.readOptionalBytes(in: input, limit: AgentLimits.labelBytes)
        detail = try reader.readBoundedBytes(in: input, limit: AgentLimits.textBytes)
        let kind = try reader.readOptionalUnsigned(in: input, limit: .max)
        let name = try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes)
        let place = try reader.readOptionalBytes(in: input, limit: AgentLimits.userBytes)
        let uid = try reader.readOptionalUnsigned(in: input, limit: UInt64(UInt32.max))
        guard let kind else {
            guard name == nil, place == nil, uid == nil else { throw .unknown }
            return
        }
        guard let kind = ActorListing.Kind(rawValue: kind) else { throw .unknown }
        actor = ActorListing(kind: kind, name: name, place: place, uid: uid)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeMessageHead(10, fields: Self.fields, to: &output)
        try writer.writeUnsigned(number, to: &output)
        try writer.writeUnsigned(unixSeconds, to: &output)
        try writer.writeBytes(event, to: &output)
        try writer.writeOptionalBytes(user, to: &output)
        try writer.writeOptionalBytes(device, to: &output)
        try writer.writeBytes(detail, to: &output)
        try writer.writeOptionalUnsigned(actor?.kind.rawValue, to: &output)
        try writer.writeOptionalBytes(actor?.name, to: &output)
        try writer.writeOptionalBytes(actor?.place, to: &output)
        try writer.writeOptionalUnsigned(actor?.uid, to: &output)
    }
}

/// A closed part of the audit log, with its signed head. Behind the last of them comes `auditSigner`.
public struct AuditSegmentListing: Equatable, Sendable {
    static let fields = 8
    private static let hashBytes = 32
    private static let signatureBytes = 64

    public var number: UInt64
    public var firstEntry: UInt64
    public var lastEntry: UInt64
    public var fromUnixSeconds: UInt64
    public var toUnixSeconds: UInt64
    /// SHA-256 before the first entry and of the last one.
    public var previous: [UInt8]
    public var head: [UInt8]
    public var signature: [UInt8]

    public init(
        number: UInt64, firstEntry: UInt64, lastEntry: UInt64, fromUnixSeconds: UInt64, toUnixSeconds: UInt64,
        previous: [UInt8], head: [UInt8], signature: [UInt8]
    ) {
        self.number = number
        self.firstEntry = firstEntry
        self.lastEntry = lastEntry
        self.fromUnixSeconds = fromUnixSeconds
        self.toUnixSeconds = toUnixSeconds
        self.previous = previous
        self.head = head
        self.signature = signature
    }

    init(reading input: RawSpan, with reader: inout CBORReader) throws(WireError) {
        number = try reader.readUnsigned(in: input)
        firstEntry = try reader.readUnsigned(in: input)
        lastEntry = try reader.readUnsigned(in: input)
        guard firstEntry > 0, lastEntry >= firstEntry else { throw .unknown }
        fromUnixSeconds = try reader.readUnsigned(in: input)
        toUnixSeconds = try reader.readUnsigned(in: input)
        previous = try reader.readBoundedBytes(in: input, limit: Self.hashBytes)
        head = try reader.readBoundedBytes(in: input, limit: Self.hashBytes)
        signature = try reader.readBoundedBytes(in: input, limit: Self.signatureBytes)
    }

    func write(with writer: inout CBORWriter, to output: inout MutableRawSpan) throws(WireError) {
        try writer.writeMessageHead(30, fields: Self.fields, to: &output)
        try writer.writeUnsigned(number, to: &output)
        try writer.writeUnsigned(firstEntry, to: &output)
        try writer.writeUnsigned(lastEntry, to: &output)
        try writer.writeUnsigned(fromUnixSeconds, to: &output)
        try writer.writeUnsigned(toUnixSeconds, to: &output)
        try writer.writeBytes(previous, to: &output)
        try writer.writeBytes(head, to: &output)
        try writer.writeBytes(signature, to: &output)
    }
}
