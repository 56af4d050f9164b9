/// Bytes as lower-case hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Returns nil unless the text encodes `count` bytes in lower-case digits.
    static func bytes(_ text: String, count: Int) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: letters.count, by: 2) {
            guard let byte = UInt8(String(decoding: letters[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        // Only one spelling is valid for the same bytes.
        return Self.text(bytes) == text ? bytes : nil
    }
}
