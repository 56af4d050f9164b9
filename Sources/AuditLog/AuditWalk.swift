import Secrets

/// Follows the chain through entries, one after the other.
public struct AuditWalk: Sendable {
    private let previous: AuditHead
    /// The last entry so far.
    public private(set) var head: AuditHead
    private var from = Int64.max
    private var to = Int64.min

    /// Begins behind an entry.
    public init(after previous: AuditHead) {
        self.previous = previous
        head = previous
    }

    /// Whether `entry` is the next one.
    public mutating func take(_ entry: AuditEntry) -> Bool {
        guard let next = head.next(entry) else { return false }
        head = next
        from = min(from, entry.unixSeconds)
        to = max(to, entry.unixSeconds)
        return true
    }

    /// Whether these entries, all of them and no others, are what `segment` says.
    public func fits(_ segment: AuditSegment) -> Bool {
        previous == segment.previous && head == segment.head && from == segment.fromSeconds && to == segment.toSeconds
    }

    /// Signs what was walked through; nil where that is nothing.
    public func sign(
        number: UInt64, box: [UInt8], authority: borrowing Ed25519KeyPair
    ) -> AuditSegment? {
        guard head.number > previous.number else { return nil }
        return AuditSegment.sign(
            number: number, previous: previous, head: head, fromSeconds: from, toSeconds: to, box: box,
            authority: authority)
    }
}
