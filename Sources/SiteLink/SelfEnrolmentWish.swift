import SiteTrust

/// What a box asks of its site for somebody who has logged in at it and would enrol a phone of their own. A number (4), a step (1), then
/// what belongs to that step.
public struct SelfEnrolmentWish: Sendable, Equatable {
    public enum Step: Sendable, Equatable {
        /// A code for that user (1 to 64 bytes). `replacing`: what the id of the phone begins with that is to go, as people type it, at
        /// most 26 bytes; empty: none goes.
        case begin(user: [UInt8], replacing: [UInt8])
        /// Whether the phone shows these digits, six ASCII digits.
        case answer(digits: [UInt8], accept: Bool)
        /// Nobody wants it any more.
        case end
    }

    static let userBytes = 1...64
    static let replacingLimit = 26
    static let digitCount = 6

    /// The box's number for it, which the answers name. A later one has a higher number, on the same link.
    public let number: UInt32
    public let step: Step

    /// Nil where a length is another one than it may be.
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
