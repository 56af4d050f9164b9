/// The id of a device: 16 random bytes, or a hash for a phone that a site's grant admitted. Its text has 26 letters and
/// digits of Crockford's base 32.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    public static let byteCount = 16
    public let bytes: [UInt8]

    private static let textCount = 26

    /// Returns nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Takes 16 bytes of an existing id.
    package init(known bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the id whose `description` is `text` (ASCII, lower case), or nil if there is none.
    public init?(text: [UInt8]) {
        guard let bytes = CrockfordBase32.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }

    public var description: String { CrockfordBase32.text(bytes) }

    /// Returns whether `text` is the id or its beginning, with letters in either case.
    public func begins(with text: [UInt8]) -> Bool {
        guard let (first, last) = Self.range(beginningWith: text) else { return false }
        return !bytes.lexicographicallyPrecedes(first) && !last.lexicographicallyPrecedes(bytes)
    }

    /// Returns the lowest and the highest id whose text begins with `text`, or nil if there can be none.
    package static func range(beginningWith text: [UInt8]) -> (first: [UInt8], last: [UInt8])? {
        guard (1...textCount).contains(text.count) else { return nil }
        var bits: [Bool] = []
        for character in text {
            let lower = (0x41...0x5A).contains(character) ? character | 0x20 : character
            guard let value = CrockfordBase32.alphabet.firstIndex(of: lower) else { return nil }
            bits += (0..<5).map { value >> (4 - $0) & 1 == 1 }
        }
        // 26 characters carry two bits more than 16 bytes. Those bits must be zero.
        let count = byteCount * 8
        guard !bits.dropFirst(count).contains(true) else { return nil }
        let filled = { (filler: Bool) in
            (0..<byteCount).map { byte in
                (0..<8).reduce(UInt8(0)) { sum, bit in
                    let index = byte * 8 + bit
                    return sum << 1 | ((index < bits.count ? bits[index] : filler) ? 1 : 0)
                }
            }
        }
        return (filled(false), filled(true))
    }
}
