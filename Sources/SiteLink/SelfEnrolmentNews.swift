import Secrets
import SecureChannel
import SiteTrust

/// The reasons why a site refuses or ends a self-enrolment at a box.
public enum SelfEnrolmentRefusal: UInt8, Sendable, CaseIterable {
    /// The site allows self-enrolment to no user, or not to this user.
    case notAllowed = 1
    /// The site does not know the user.
    case unknownUser = 2
    /// An administrator has revoked all grants of the user.
    case revokedUser = 3
    /// The user has the maximum number of phones. The detail lists the phones.
    case phoneLimit = 4
    /// The phone to replace does not belong to the user.
    case noSuchPhone = 5
    /// The user's phones have no group that this box is in.
    case otherGroups = 6
    /// The box or the user has reached the site's daily limit of codes.
    case tooMany = 7
    /// Another self-enrolment is under way.
    case busy = 8
    /// The site cannot decide now.
    case notNow = 9
    /// The user said that the phone shows other digits.
    case declined = 10
    /// The code has expired, or the phone that used it has disconnected.
    case over = 11
}

/// The progress of a `SelfEnrolmentWish` at the site. Layout: number (4) ‖ stage (1) ‖ the stage's fields.
public struct SelfEnrolmentNews: Sendable, Equatable {
    public enum Stage: Sendable, Equatable {
        /// The code that the phone scans, with its one-time secret, and its lifetime in seconds.
        case code(EnrolmentSecret, seconds: UInt16)
        /// The six ASCII digits to compare, and the phone's own name, at most 64 bytes.
        case digits([UInt8], phone: [UInt8])
        /// The phone with this id (16 bytes) is enrolled. `hasReplaced` is true if it replaced a phone, now revoked.
        case enrolled(device: [UInt8], hasReplaced: Bool)
        /// Ends the self-enrolment. `detail` is a text for people, at most 255 bytes.
        case refused(SelfEnrolmentRefusal, detail: [UInt8])
    }

    static let deviceBytes = 16
    static let phoneLimit = 64
    public static let detailLimit = 255

    public let number: UInt32
    public let stage: Stage

    public init(number: UInt32, stage: Stage) {
        self.number = number
        self.stage = stage
    }

    private enum Kind: UInt8 { case code = 1, digits, enrolled, replaced, refused }

    private static let headBytes = 5

    private var kind: Kind {
        switch stage {
        case .code: .code
        case .digits: .digits
        case .enrolled(_, let hasReplaced): hasReplaced ? .replaced : .enrolled
        case .refused: .refused
        }
    }

    /// Reads the fields from `offset`. A code is read directly out of guarded memory.
    init(parsing content: borrowing SecretBytes, from offset: Int) throws(SiteLinkError) {
        let count = content.count - offset
        guard count >= Self.headBytes, let kind = Kind(rawValue: content.byte(at: offset + 4)) else {
            throw .protocolViolation
        }
        var value: UInt32 = 0
        for index in offset..<offset + 4 { value = value << 8 | UInt32(content.byte(at: index)) }
        number = value
        let start = offset + Self.headBytes
        if kind == .code {
            guard count == Self.headBytes + 2 + SiteEnrolmentCode.byteCount else { throw .protocolViolation }
            let seconds = UInt16(content.byte(at: start)) << 8 | UInt16(content.byte(at: start + 1))
            let text = content.withBytes { SecretBytes(copying: $0.extracting(start + 2..<$0.byteCount)) }
            stage = .code(EnrolmentSecret(HeldSecret(text)), seconds: seconds)
            return
        }
        let rest = content.withBytes { [UInt8](copying: $0.extracting(start..<$0.byteCount)) }
        switch kind {
        case .digits
        where (SelfEnrolmentWish.digitCount...SelfEnrolmentWish.digitCount + Self.phoneLimit).contains(rest.count):
            let digits = [UInt8](rest.prefix(SelfEnrolmentWish.digitCount))
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .protocolViolation }
            stage = .digits(digits, phone: [UInt8](rest.dropFirst(SelfEnrolmentWish.digitCount)))
        case .enrolled where rest.count == Self.deviceBytes: stage = .enrolled(device: rest, hasReplaced: false)
        case .replaced where rest.count == Self.deviceBytes: stage = .enrolled(device: rest, hasReplaced: true)
        case .refused where (1...1 + Self.detailLimit).contains(rest.count):
            guard let refusal = SelfEnrolmentRefusal(rawValue: rest[0]) else { throw .protocolViolation }
            stage = .refused(refusal, detail: [UInt8](rest.dropFirst()))
        default: throw .protocolViolation
        }
    }

    /// Returns the plaintext to seal, which begins with `kind`.
    func encoded(behind kind: UInt8, from pool: SecretArenaPool?) -> SecretBytes {
        let head = [kind] + number.bigEndianBytes + [self.kind.rawValue]
        switch stage {
        case .code(let code, let seconds):
            let plain = head + [UInt8(truncatingIfNeeded: seconds >> 8), UInt8(truncatingIfNeeded: seconds)]
            var content = SecretBytes(count: plain.count + code.text.bytes.count, from: pool)
            content.withMutableBytes { target in
                target.store(plain)
                code.text.bytes.withBytes { target.store($0, at: plain.count) }
            }
            return content
        case .digits(let digits, let phone): return SecretBytes(copying: head + digits + phone, from: pool)
        case .enrolled(let device, _): return SecretBytes(copying: head + device, from: pool)
        case .refused(let refusal, let detail):
            return SecretBytes(copying: head + [refusal.rawValue] + detail, from: pool)
        }
    }
}

/// An enrolment code of the site, as a phone scans it. The time of a comparison depends on the lengths only.
public struct EnrolmentSecret: Sendable, Equatable {
    public let text: HeldSecret

    public init(_ text: HeldSecret) {
        self.text = text
    }

    public static func == (left: EnrolmentSecret, right: EnrolmentSecret) -> Bool {
        left.text.bytes.isEqual(to: right.text.bytes)
    }
}
