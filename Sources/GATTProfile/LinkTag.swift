/// Two bytes before every value of the transfer characteristic, in both directions. The phone draws them at random for
/// each link.
///
/// GATT alone cannot tell links apart. Before BlueZ 5.69, a notification goes to every phone that has subscribed, and
/// two programs of one phone share one connection. With the tag, each receiver takes its own values and ignores the
/// rest. The tag is an address, not a secret: the channel above protects the data.
public struct LinkTag: Sendable, Hashable, CustomStringConvertible {
    /// The length of the tag in each value.
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

    /// Returns the value that carries a segment of this link.
    public func tagged(_ segment: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount + segment.count)
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes += segment
        return bytes
    }

    /// Splits a value into tag and segment. Returns nil if it is too short.
    public static func split(_ bytes: [UInt8]) -> (tag: LinkTag, segment: [UInt8])? {
        guard bytes.count > byteCount else { return nil }
        return (LinkTag(UInt16(bytes[0]) << 8 | UInt16(bytes[1])), Array(bytes.dropFirst(byteCount)))
    }

    /// Returns the segment of a value of this link, or nil for another link.
    public func segment(of bytes: [UInt8]) -> [UInt8]? {
        guard let (tag, segment) = Self.split(bytes), tag == self else { return nil }
        return segment
    }
}
