import Names
import Secrets

/// The enrolment code that the administrator's terminal shows as a QR code and as text.
///
/// The text is `boxlink:2/` and the base 32 of: authority key (32) ‖ box key (32) ‖ code id (8) ‖ PSK (32) ‖ box ID (6,
/// digits and then zeros) ‖ length of user less one (1) ‖ user (1 to 255). All but the scheme fits a QR code's
/// alphanumeric mode. The text carries the PSK, so it exists in guarded memory only.
public struct EnrolmentURI: ~Copyable, Sendable {
    /// Starts every URI of this version.
    public static let prefix: StaticString = "boxlink:2/"
    /// Longest URI, in bytes: one with the longest user name.
    public static let byteCountLimit = 10 + Base32.characterCount(byteCount: fixedBytes + UserName.byteLimit)

    private static let headBytes = 2 * HandshakeSizes.key + FirstMessage.codeIDBytes
    static let fixedBytes = headBytes + HandshakeSizes.psk + BoxIDDigits.fieldBytes + 1

    /// The authority's Ed25519 public key, 32 bytes.
    public let authorityKey: [UInt8]
    /// The box's X25519 static public key, 32 bytes.
    public let boxKey: [UInt8]
    /// The code's id, 8 bytes, sent in clear.
    public let codeID: [UInt8]
    /// The one-time secret, 32 bytes.
    public let psk: SecretBytes
    /// Four to six ASCII digits.
    public let boxID: [UInt8]
    /// The user's name on the box, which satisfies `UserName.isPrintable`.
    public let user: [UInt8]

    public init(
        authorityKey: [UInt8], boxKey: [UInt8], codeID: [UInt8], psk: consuming SecretBytes, boxID: [UInt8],
        user: [UInt8]
    ) throws(EnrolmentURIError) {
        guard authorityKey.count == HandshakeSizes.key, X25519KeyPair.isPublicKey(boxKey),
            codeID.count == FirstMessage.codeIDBytes, psk.count == HandshakeSizes.psk, BoxIDDigits.isValid(boxID)
        else { throw .invalidField }
        guard UserName.isPrintable(user) else { throw .invalidUser }
        self.authorityKey = authorityKey
        self.boxKey = boxKey
        self.codeID = codeID
        self.psk = psk
        self.boxID = boxID
        self.user = user
    }

    /// Reads a URI. Ignores white space around the text, as from a paste, but not inside.
    public init(parsing text: borrowing SecretBytes) throws(EnrolmentURIError) {
        let parts: CodeText.Parts
        do throws(CodeText.Failure) {
            parts = try CodeText.parse(text, prefix: Self.prefix, headBytes: Self.headBytes, limit: Self.byteCountLimit)
        } catch {
            throw EnrolmentURIError(error)
        }
        let (head, tail) = (parts.head, parts.tail)
        let userStart = BoxIDDigits.fieldBytes + 1
        guard tail.count > userStart, tail.count == userStart + Int(tail[userStart - 1]) + 1 else { throw .damaged }
        guard let boxID = BoxIDDigits.reading(tail[..<BoxIDDigits.fieldBytes]) else { throw .invalidField }
        try self.init(
            authorityKey: [UInt8](head[0..<32]), boxKey: [UInt8](head[32..<64]), codeID: [UInt8](head[64..<72]),
            psk: parts.secret.copy(), boxID: boxID, user: [UInt8](tail[userStart...]))
    }

    /// Returns the URI's text, in ASCII.
    public borrowing func format() -> SecretBytes {
        CodeText.format(
            prefix: Self.prefix, head: authorityKey + boxKey + codeID, secret: psk,
            tail: BoxIDDigits.field(boxID) + [UInt8(truncatingIfNeeded: user.count - 1)] + user)
    }
}
