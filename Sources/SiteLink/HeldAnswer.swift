import PhoneMessages
import Secrets
import SiteTrust

/// The outcome of a request that a box has carried to its site.
public struct HeldAnswer: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        /// The request is done, and this number of tries (1 to 10) is left.
        case done(triesLeft: UInt8)
        /// The credential for the phone's current login, and the number of tries left.
        case opened(OpenedCredential, triesLeft: UInt8)
        /// The PIN was wrong, and this number of tries (1 to 10) is left.
        case pinWrong(triesLeft: UInt8)
        /// The credential is destroyed, by this request or earlier.
        case wiped
        /// No PIN is checked before this number of seconds (at least 1) has passed.
        case lockedOut(seconds: UInt32)
        case noCredential
        /// Nothing was checked: the request is for another box or channel, a replay, or of a phone without access.
        case refused
        /// The site does not know the outcome. A try that the request cost stays spent.
        case notNow
    }

    public let number: UInt32
    public let outcome: Outcome

    public init(number: UInt32, outcome: Outcome) {
        self.number = number
        self.outcome = outcome
    }

    enum Kind: UInt8 { case done, opened, pinWrong, wiped, lockedOut, noCredential, refused, notNow }

    private static let triesLeft: ClosedRange<UInt8> = 1...PINRules.attempts
    /// Number (4) ‖ outcome (1).
    private static let headBytes = 5
    static let openedBytes = headBytes + 1 + HeldPadding.byteCount

    private var kind: Kind {
        switch outcome {
        case .done: .done
        case .opened: .opened
        case .pinWrong: .pinWrong
        case .wiped: .wiped
        case .lockedOut: .lockedOut
        case .noCredential: .noCredential
        case .refused: .refused
        case .notNow: .notNow
        }
    }

    /// Reads the fields from `offset`, directly out of guarded memory, because they may include a credential.
    init(parsing content: borrowing SecretBytes, from offset: Int) throws(SiteLinkError) {
        let count = content.count - offset
        guard count >= Self.headBytes, let kind = Kind(rawValue: content.byte(at: offset + 4)) else {
            throw .protocolViolation
        }
        number = Self.number(content, at: offset)
        let rest = offset + Self.headBytes
        switch (kind, count - Self.headBytes) {
        case (.done, 1): outcome = .done(triesLeft: try Self.left(content, at: rest))
        case (.pinWrong, 1): outcome = .pinWrong(triesLeft: try Self.left(content, at: rest))
        case (.lockedOut, 4):
            let seconds = Self.number(content, at: rest)
            guard seconds > 0 else { throw .protocolViolation }
            outcome = .lockedOut(seconds: seconds)
        case (.opened, 1 + HeldPadding.byteCount):
            guard let credential = HeldPadding.unpad(content, from: rest + 1) else { throw .protocolViolation }
            outcome = .opened(
                OpenedCredential(HeldSecret(credential)), triesLeft: try Self.left(content, at: rest))
        case (.wiped, 0): outcome = .wiped
        case (.noCredential, 0): outcome = .noCredential
        case (.refused, 0): outcome = .refused
        case (.notNow, 0): outcome = .notNow
        default: throw .protocolViolation
        }
    }

    private static func number(_ content: borrowing SecretBytes, at offset: Int) -> UInt32 {
        var number: UInt32 = 0
        for index in offset..<offset + 4 { number = number << 8 | UInt32(content.byte(at: index)) }
        return number
    }

    private static func left(_ content: borrowing SecretBytes, at offset: Int) throws(SiteLinkError) -> UInt8 {
        let left = content.byte(at: offset)
        guard triesLeft.contains(left) else { throw .protocolViolation }
        return left
    }

    /// All fields except a credential.
    private var plainBytes: [UInt8] {
        let head = number.bigEndianBytes + [kind.rawValue]
        return switch outcome {
        case .done(let left), .pinWrong(let left), .opened(_, let left): head + [left]
        case .lockedOut(let seconds): head + seconds.bigEndianBytes
        case .wiped, .noCredential, .refused, .notNow: head
        }
    }

    /// Returns the plaintext to seal, which begins with `kind`, or nil for a credential that is not valid.
    func encoded(behind kind: UInt8, from pool: SecretArenaPool?) -> SecretBytes? {
        let plain = [kind] + plainBytes
        guard case .opened(let credential, _) = outcome else { return SecretBytes(copying: plain, from: pool) }
        guard let padded = HeldPadding.pad(credential.secret.bytes) else { return nil }
        var content = SecretBytes(count: plain.count + padded.count, from: pool)
        content.withMutableBytes { target in
            target.store(plain)
            padded.withBytes { target.store($0, at: plain.count) }
        }
        return content
    }
}

/// A credential on its way from a site to a program. The time of a comparison depends on the lengths only.
public struct OpenedCredential: Sendable, Equatable {
    public let secret: HeldSecret

    public init(_ secret: HeldSecret) {
        self.secret = secret
    }

    public static func == (left: OpenedCredential, right: OpenedCredential) -> Bool {
        left.secret.bytes.isEqual(to: right.secret.bytes)
    }
}
