import Secrets

/// Follows the hash chain, entry by entry.
public struct AuditWalk: Sendable {
    private let previous: AuditHead
    /// The last entry so far.
    public private(set) var head: AuditHead
    private var from = Int64.max
    private var to = Int64.min

    public init(after previous: AuditHead) {
        self.previous = previous
        head = previous
    }

    /// Returns whether `entry` is the next one, and advances to it.
    public mutating func take(_ entry: AuditEntry) -> Bool {
        guard let next = head.next(entry) else { return false }
        head = next
        from = min(from, entry.unixSeconds)
        to = max(to, entry.unixSeconds)
        return true
    }

    /// Returns whether `segment` describes exactly the entries taken so far.
    public func fits(_ segment: AuditSegment) -> Bool {
        previous == segment.previous && head == segment.head && from == segment.fromSeconds && to == segment.toSeconds
    }

    /// Signs the entries taken so far. Returns nil if there are none.
    public func sign(
        number: UInt64, box: [UInt8], authority: borrowing Ed25519KeyPair
    ) -> AuditSegment? {
        guard head.number > previous.number else { return nil }
        return AuditSegment.sign(
            number: number, previous: previous, head: head, fromSeconds: from, toSeconds: to, box: box,
            authority: authority)
    }
}
