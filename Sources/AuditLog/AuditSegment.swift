import Secrets

/// A closed part of the log: consecutive entries and a head that the box's authority signed.
///
/// You can check it without the box and without earlier entries. The signature covers the hash before the first entry
/// and the hash of the last one.
public struct AuditSegment: Equatable, Sendable {
    /// Counts from 1, without gaps.
    public let number: UInt64
    /// The last entry before the segment.
    public let previous: AuditHead
    /// The last entry of the segment.
    public let head: AuditHead
    /// The earliest and the latest time of the entries. They may be out of order, because clocks are set back.
    public let fromSeconds: Int64
    public let toSeconds: Int64
    /// Ed25519, 64 bytes.
    public let signature: [UInt8]

    private static let context: StaticString = "boxagent/audit-segment/1"

    public var firstEntry: UInt64 { previous.number + 1 }
    public var lastEntry: UInt64 { head.number }

    public init(
        number: UInt64, previous: AuditHead, head: AuditHead, fromSeconds: Int64, toSeconds: Int64, signature: [UInt8]
    ) {
        self.number = number
        self.previous = previous
        self.head = head
        self.fromSeconds = fromSeconds
        self.toSeconds = toSeconds
        self.signature = signature
    }

    /// Signs a segment. `box` is the box's public key, since several boxes may share one authority.
    public static func sign(
        number: UInt64, previous: AuditHead, head: AuditHead, fromSeconds: Int64, toSeconds: Int64, box: [UInt8],
        authority: borrowing Ed25519KeyPair
    ) -> AuditSegment {
        let unsigned = AuditSegment(
            number: number, previous: previous, head: head, fromSeconds: fromSeconds, toSeconds: toSeconds,
            signature: [])
        return AuditSegment(
            number: number, previous: previous, head: head, fromSeconds: fromSeconds, toSeconds: toSeconds,
            signature: authority.sign(context: context, message: unsigned.message(box)))
    }

    public func isSigned(by authority: [UInt8], box: [UInt8]) -> Bool {
        Ed25519.verify(signature: signature, context: Self.context, message: message(box), publicKey: authority)
    }

    /// All fields have a fixed width except the box's key, which is last.
    private func message(_ box: [UInt8]) -> [UInt8] {
        BigEndian.bytes(number) + previous.bytes + head.bytes + BigEndian.bytes(UInt64(bitPattern: fromSeconds))
            + BigEndian.bytes(UInt64(bitPattern: toSeconds)) + box
    }
}
