import Secrets

/// What phone and administrator compare at an enrolment: six digits that depend on the whole handshake.
public enum SixDigits {
    private static let context: StaticString = "boxlink-six-digits-1"

    /// Six ASCII digits of a handshake hash. Both sides see the same, and with the odds of one in a million no
    /// other handshake shows them.
    public static func of(_ handshakeHash: [UInt8]) -> [UInt8] {
        var input: [UInt8] = []
        context.withUTF8Buffer { input.append(contentsOf: $0) }
        input.append(contentsOf: handshakeHash)
        var number = SHA256.hash(input).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        var digits = [UInt8](repeating: 0, count: 6)
        for index in digits.indices.reversed() {
            digits[index] = 0x30 + UInt8(number % 10)
            number /= 10
        }
        return digits
    }
}
