/// A version or a generation of a site: the root's number, then a count that this root gives. 8 bytes, big-endian.
///
/// The root's number is 1 for the first root and one more for each that succeeds. So everything of a next root is above
/// everything of the root before, whatever a thief of that one has signed.
public struct SiteOrdinal: Sendable, Equatable, Comparable {
    /// 1 or more.
    public let root: UInt32
    /// 1 or more.
    public let count: UInt32

    /// Nil where one of them is 0.
    public init?(root: UInt32, count: UInt32) {
        guard root > 0, count > 0 else { return nil }
        self.root = root
        self.count = count
    }

    /// As it is sent; throws `invalidField` where one half is 0.
    public init(_ value: UInt64) throws(SiteError) {
        guard
            let ordinal = SiteOrdinal(
                root: UInt32(truncatingIfNeeded: value >> 32), count: UInt32(truncatingIfNeeded: value))
        else { throw .invalidField }
        self = ordinal
    }

    /// As it is sent.
    public var value: UInt64 { UInt64(root) << 32 | UInt64(count) }

    /// As people read it: the root's number, a point, and its count.
    public var text: String { "\(root).\(count)" }

    public static func < (left: SiteOrdinal, right: SiteOrdinal) -> Bool { left.value < right.value }
}
