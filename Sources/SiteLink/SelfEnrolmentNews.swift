import Secrets
import SecureChannel
import SiteTrust

/// Why a site gives nobody at a box a code, or ends one.
public enum SelfEnrolmentRefusal: UInt8, Sendable, CaseIterable {
    /// The site lets nobody enrol phones of their own, or not for this user.
    case notAllowed = 1
    /// The site does not know the user.
    case unknownUser = 2
    /// An administrator has taken back everything of the user.
    case revokedUser = 3
    /// The user has as many phones as one may have; which, stands beside it.
    case phoneLimit = 4
    /// The phone that is to go is none of the user's.
    case noSuchPhone = 5
    /// The user's phones have no group that this box is in.
    case otherGroups = 6
    /// The box or the user has had as many codes today as the site allows.
    case tooMany = 7
    /// Another one is under way.
    case busy = 8
    /// The site cannot say.
    case notNow = 9
    /// The digits were not those of the phone.
    case declined = 10
    /// The code is over: its time is, or its one phone went.
    case over = 11
}

/// How far a site is with what a box has asked for by a `SelfEnrolmentWish`. A number (4), a stage (1), then what belongs to it.
public struct SelfEnrolmentNews: Sendable, Equatable {
    public enum Stage: Sendable, Equatable {
        /// What the phone scans, with its one-time secret; it is good for so many seconds.
        case code(EnrolmentSecret, seconds: UInt16)
        /// Six ASCII digits, and what the phone calls itself, at most 64 bytes.
        case digits([UInt8], phone: [UInt8])
        /// The phone with that id (16 bytes) is one of the site's. `hasReplaced`: another one was revoked for it.
        case enrolled(device: [UInt8], hasReplaced: Bool)
        /// Nothing follows. `detail`: text for people, at most 255 bytes.
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

    /// Reads the fields that begin at `offset`: a code straight out of guarded memory.
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

    /// What is sealed behind the message's kind.
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

/// An enrolment code of the site as people scan it. Compared in a time that depends on the lengths only.
public struct EnrolmentSecret: Sendable, Equatable {
    public let text: HeldSecret

    public init(_ text: HeldSecret) {
        self.text = text
    }

    public static func == (left: EnrolmentSecret, right: EnrolmentSecret) -> Bool {
        left.text.bytes.isEqual(to: right.text.bytes)
    }
}
