/// A version or a generation of a site: the root's number, then a count set by that root. 8 bytes, big-endian.
///
/// The first root has number 1, and each successor one more. So every number of a next root is above all of the
/// previous root's, including those that a thief signed.
public struct SiteOrdinal: Sendable, Equatable, Comparable {
    /// 1 or more.
    public let root: UInt32
    /// 1 or more.
    public let count: UInt32

    /// Returns nil if either half is 0.
    public init?(root: UInt32, count: UInt32) {
        guard root > 0, count > 0 else { return nil }
        self.root = root
        self.count = count
    }

    /// Reads the encoded number. Throws `invalidField` if either half is 0.
    public init(_ value: UInt64) throws(SiteError) {
        guard
            let ordinal = SiteOrdinal(
                root: UInt32(truncatingIfNeeded: value >> 32), count: UInt32(truncatingIfNeeded: value))
        else { throw .invalidField }
        self = ordinal
    }

    /// The encoded number.
    public var value: UInt64 { UInt64(root) << 32 | UInt64(count) }

    /// The form for people: the root's number, a point, and its count.
    public var text: String { "\(root).\(count)" }

    public static func < (left: SiteOrdinal, right: SiteOrdinal) -> Bool { left.value < right.value }
}
