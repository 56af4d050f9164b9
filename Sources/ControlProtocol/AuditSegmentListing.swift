import Wire

/// A closed part of the audit log with its signed head. The reply `auditSigner` follows the last segment.
public struct AuditSegmentListing: Equatable, Sendable {
    private static let hashBytes = 32
    private static let signatureBytes = 64

    public var number: UInt64 = 0
    public var firstEntry: UInt64 = 0
    public var lastEntry: UInt64 = 0
    public var fromUnixSeconds: UInt64 = 0
    public var toUnixSeconds: UInt64 = 0
    /// `previous` is the SHA-256 before the first entry, `head` that of the last one.
    public var previous: [UInt8] = []
    public var head: [UInt8] = []
    public var signature: [UInt8] = []

    package init() {}

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
}

extension AuditSegmentListing: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.number("number", &number)
        try coder.number("first-entry", &firstEntry)
        try coder.number("last-entry", &lastEntry)
        guard firstEntry > 0, lastEntry >= firstEntry else { throw .invalid(field: "last-entry", .outOfRange) }
        try coder.number("from-seconds", &fromUnixSeconds)
        try coder.number("to-seconds", &toUnixSeconds)
        try coder.bytes("previous", &previous, limit: Self.hashBytes)
        try coder.bytes("head", &head, limit: Self.hashBytes)
        try coder.bytes("signature", &signature, limit: Self.signatureBytes)
    }
}
