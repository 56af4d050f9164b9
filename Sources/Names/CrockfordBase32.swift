/// Crockford's base 32 in lower case, for device ids: it has no I, L, O and U, which are easily confused. Enrolment
/// codes use the base 32 of RFC 4648, which needs fewer modules in a QR code.
public enum CrockfordBase32 {
    public static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
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

    /// Returns the decoded bytes, or nil unless `text` is exactly the text that `text(_:)` makes of those bytes.
    public static func bytes(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        return Array(Self.text(bytes).utf8) == text ? bytes : nil
    }
}
