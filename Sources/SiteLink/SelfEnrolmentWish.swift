import SiteTrust

/// A box's request for a user who has logged in and wants to enrol a phone. Layout: number (4) ‖ step (1) ‖ fields.
public struct SelfEnrolmentWish: Sendable, Equatable {
    public enum Step: Sendable, Equatable {
        /// Asks for a code for this user (1 to 64 bytes). `replacing` is the typed beginning of the id of the phone to
        /// replace, at most 26 bytes, or empty if the code replaces no phone.
        case begin(user: [UInt8], replacing: [UInt8])
        /// The user's answer whether the phone shows these six ASCII digits.
        case answer(digits: [UInt8], accept: Bool)
        /// The user no longer wants the enrolment.
        case end
    }

    static let userBytes = 1...64
    static let replacingLimit = 26
    static let digitCount = 6

    /// The box's number for the request; the answers repeat the number. Numbers rise on one link.
    public let number: UInt32
    public let step: Step

    /// Returns nil if a length is not valid.
    public init?(number: UInt32, step: Step) {
        switch step {
        case .begin(let user, let replacing):
            guard Self.userBytes.contains(user.count), replacing.count <= Self.replacingLimit else { return nil }
        case .answer(let digits, _):
            guard digits.count == Self.digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        case .end: break
        }
        self.number = number
        self.step = step
    }

    private enum Kind: UInt8 { case begin = 1, accept, decline, end }

    init(reading fields: inout FieldReader) throws(SiteLinkError) {
        do throws(SiteError) {
            let number = UInt32(truncatingIfNeeded: UInt64(bigEndian: try fields.take(4)))
            let step: Step
            switch Kind(rawValue: try fields.take(1)[0]) {
            case .begin:
                let user = try fields.take(Int(try fields.take(1)[0]))
                step = .begin(user: user, replacing: try fields.take(fields.rest))
            case .accept: step = .answer(digits: try fields.take(Self.digitCount), accept: true)
            case .decline: step = .answer(digits: try fields.take(Self.digitCount), accept: false)
            case .end: step = .end
            case nil: throw SiteError.invalidField
            }
            guard let wish = SelfEnrolmentWish(number: number, step: step) else { throw SiteError.invalidField }
            self = wish
        } catch {
            throw .protocolViolation
        }
    }

    var bytes: [UInt8] {
        let head = number.bigEndianBytes
        return switch step {
        case .begin(let user, let replacing):
            head + [Kind.begin.rawValue, UInt8(truncatingIfNeeded: user.count)] + user + replacing
        case .answer(let digits, let accept): head + [(accept ? Kind.accept : .decline).rawValue] + digits
        case .end: head + [Kind.end.rawValue]
        }
    }
}
