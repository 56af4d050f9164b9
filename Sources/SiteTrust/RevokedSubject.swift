/// The subject that an entry revokes, or a notice.
public enum RevokedSubject: Sendable, Equatable {
    /// A phone, by its X25519 static public key, 32 bytes.
    case phone(key: [UInt8])
    /// A user's grants of all generations before the entry's, and those of its own generation up to and including
    /// this number.
    case user(SiteUserID, upTo: UInt64)
    /// A box, by its X25519 static public key, 32 bytes.
    case box(key: [UInt8])
    #if !hasFeature(Embedded)
        /// A notice, which revokes nothing. The web phone never asks for notices.
        case enrolment(EnrolmentNotice)
    #endif

    /// Kind (1) and subject (32).
    static let byteCount = 33
    static let boxKind: UInt8 = 3
    static let noticeKind: UInt8 = 4

    init(reading fields: inout FieldReader) throws(SiteError) {
        let kind = try fields.byte()
        let subject = try fields.take(Self.byteCount - 1)
        switch kind {
        case 1: self = .phone(key: subject)
        case 2:
            let rest = subject.dropFirst(SiteUserID.byteCount)
            guard let user = SiteUserID(bytes: [UInt8](subject.prefix(SiteUserID.byteCount))),
                rest.suffix(8).allSatisfy({ $0 == 0 })
            else { throw .invalidField }
            self = .user(user, upTo: UInt64(bigEndian: rest.prefix(8)))
        case Self.boxKind: self = .box(key: subject)
        #if !hasFeature(Embedded)
            case Self.noticeKind: self = .enrolment(try EnrolmentNotice(subject: subject))
        #endif
        default: throw .invalidField
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .phone(let key): return [1] + key
        case .user(let user, let number):
            var bytes = [2] + user.bytes
            bytes.append(bigEndian: number)
            bytes.append(bigEndian: 0)
            return bytes
        case .box(let key): return [Self.boxKind] + key
        #if !hasFeature(Embedded)
            case .enrolment(let notice): return [Self.noticeKind] + notice.subject
        #endif
        }
    }
}
