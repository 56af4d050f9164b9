/// Base 64 with the alphabet for URLs and without padding (RFC 4648 section 5), which WebAuthn uses.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (held, bits) = (0, 0)
        for byte in bytes {
            held = held << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                out.append(alphabet[held >> bits & 63])
            }
            held &= (1 << bits) - 1
        }
        if bits > 0 { out.append(alphabet[held << (6 - bits) & 63]) }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns the bytes of a canonical text. Returns nil for any other text, and for more than `limit` bytes.
    public static func bytes(_ text: String, limit: Int) -> [UInt8]? {
        let letters = text.utf8
        guard letters.count <= (limit * 4 + 2) / 3, letters.count % 4 != 1 else { return nil }
        var out: [UInt8] = []
        var (held, bits) = (0, 0)
        for letter in letters {
            guard let value = value(of: letter) else { return nil }
            held = held << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: held >> bits))
                held &= (1 << bits) - 1
            }
        }
        return held == 0 ? out : nil
    }

    private static func value(of letter: UInt8) -> Int? {
        switch letter {
        case 0x41...0x5A: Int(letter) - 0x41
        case 0x61...0x7A: Int(letter) - 0x61 + 26
        case 0x30...0x39: Int(letter) - 0x30 + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }
}
