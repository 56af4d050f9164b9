import Crypto

/// Makes and recognizes challenges without storing them, so that unknown visitors use no memory.
///
/// A challenge is a time (8 bytes), a nonce (16) and a MAC (32). The MAC covers time, nonce, purpose and holder. It is
/// valid for `PageLimits.challengeSeconds`, in this run of the program. `UsedChallenges` refuses a second use.
public struct ChallengeMint: Sendable {
    public static let byteCount = 56
    private static let (timeBytes, nonceBytes) = (8, 16)

    public enum Purpose: UInt8, Sendable {
        case signIn = 1
        case register = 2
    }

    private let key: SymmetricKey

    public init() {
        key = SymmetricKey(size: .bits256)
    }

    /// Makes a challenge. `now` is in seconds of a clock that never goes back. `holder` is a secret of the visitor.
    public func make(_ purpose: Purpose, holder: [UInt8], now: UInt64) -> [UInt8] {
        let head = bytes(of: now) + randomBytes(Self.nonceBytes)
        return head + Array(HMAC<SHA256>.authenticationCode(for: message(head[...], purpose, holder), using: key))
    }

    public func isGood(_ challenge: [UInt8], _ purpose: Purpose, holder: [UInt8], now: UInt64) -> Bool {
        guard challenge.count == Self.byteCount else { return false }
        let head = challenge.prefix(Self.timeBytes + Self.nonceBytes)
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(challenge.dropFirst(head.count)), authenticating: message(head, purpose, holder), using: key)
        else { return false }
        let made = head.prefix(Self.timeBytes).reduce(0) { $0 << 8 | UInt64($1) }
        return made <= now && now - made <= PageLimits.challengeSeconds
    }

    private func message(_ head: ArraySlice<UInt8>, _ purpose: Purpose, _ holder: [UInt8]) -> [UInt8] {
        Array("boxsite-page challenge".utf8) + [purpose.rawValue] + head + holder
    }

    private func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}

/// Correctly answered challenges. A second answer is refused. Nothing from unknown visitors is stored.
public struct UsedChallenges: Sendable {
    private var expiries: [[UInt8]: UInt64] = [:]

    public init() {}

    /// Marks a challenge as used. Returns false if it was used before, or if there is no room.
    public mutating func claim(_ challenge: [UInt8], now: UInt64) -> Bool {
        expiries = expiries.filter { $0.value >= now }
        guard expiries.count < PageLimits.usedChallenges, expiries[challenge] == nil else { return false }
        expiries[challenge] = now + PageLimits.challengeSeconds
        return true
    }
}

/// Returns unpredictable bytes.
public func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
