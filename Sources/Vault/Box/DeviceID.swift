import Secrets

/// Names an enrolled device: 16 random bytes, shown as 26 letters and digits of Crockford's base 32, which has no
/// I, L, O and U to be mistaken. People give a beginning of it.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    public static let byteCount = 16
    public let bytes: [UInt8]

    public init() {
        bytes = randomBytes(count: Self.byteCount)
    }

    /// Nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    public var description: String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether `text` is the id or a beginning of it, letters in either case.
    public func begins(with text: [UInt8]) -> Bool {
        let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return !lower.isEmpty && Array(description.utf8).starts(with: lower)
    }
}
