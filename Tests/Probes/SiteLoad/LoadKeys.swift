import Secrets

/// Keys of boxes and phones, derived from an index. These keys protect nothing.
enum LoadKeys {
    static func pair(_ index: Int) -> X25519KeyPair {
        let seed = SHA256.hash(Array("site-load \(index)".utf8))
        do {
            return try X25519KeyPair(privateKey: SecretBytes(copying: seed))
        } catch {
            preconditionFailure("a hash has 32 bytes")
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
