/// Two bytes in front of every value of the transfer characteristic, in both directions; the phone draws them at random
/// for each link.
///
/// GATT alone does not tell links apart. Before BlueZ 5.69 a notification goes to every phone that has subscribed, and
/// two programs of one phone share one connection. With the tag, each takes what is its own and ignores the rest. It is
/// an address, not a secret: the channel above is the protection.
public struct LinkTag: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of each value.
    public static let byteCount = 2

    public let value: UInt16

    public init(_ value: UInt16) {
        self.value = value
    }

    public static func random() -> LinkTag {
        LinkTag(.random(in: .min ... .max))
    }

    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The value that carries a segment of this link.
    public func tagged(_ segment: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount + segment.count)
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes += segment
        return bytes
    }

    /// The tag and the segment of a value; nil when it is too short to be one.
    public static func split(_ bytes: [UInt8]) -> (tag: LinkTag, segment: [UInt8])? {
        guard bytes.count > byteCount else { return nil }
        return (LinkTag(UInt16(bytes[0]) << 8 | UInt16(bytes[1])), Array(bytes.dropFirst(byteCount)))
    }

    /// The segment of a value of this link; nil for one of another.
    public func segment(of bytes: [UInt8]) -> [UInt8]? {
        guard let (tag, segment) = Self.split(bytes), tag == self else { return nil }
        return segment
    }
}
