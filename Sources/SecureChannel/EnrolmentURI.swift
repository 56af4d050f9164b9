import Names
import Secrets

/// What the administrator's terminal shows as a QR code and as text, and the phone takes in.
///
/// The text is `boxlink:2/` and the base 32 of: authority key (32) ‖ box key (32) ‖ code id (8) ‖ PSK (32) ‖ box
/// ID (6, digits and then zeros) ‖ length of user less one (1) ‖ user (1 to 255). All but the scheme fits a QR code's alphanumeric
/// mode. As it carries the PSK it exists in guarded memory only.
public struct EnrolmentURI: ~Copyable, Sendable {
    /// Starts every URI of this version.
    public static let prefix: StaticString = "boxlink:2/"
    /// Longest URI, in bytes: one with the longest user name.
    public static let byteCountLimit = 10 + Base32.characterCount(byteCount: fixedBytes + UserName.byteLimit)

    static let fixedBytes =
        2 * HandshakeSizes.key + FirstMessage.codeIDBytes + HandshakeSizes.psk + BoxIDDigits.fieldBytes + 1

    /// The authority's Ed25519 public key, 32 bytes.
    public let authorityKey: [UInt8]
    /// The box's X25519 static public key, 32 bytes.
    public let boxKey: [UInt8]
    /// Which code this is; sent in clear, 8 bytes.
    public let codeID: [UInt8]
    /// The one-time secret, 32 bytes.
    public let psk: SecretBytes
    /// Four to six ASCII digits.
    public let boxID: [UInt8]
    /// The user's name on the box, as `UserName.isPrintable` has it.
    public let user: [UInt8]

    public init(
        authorityKey: [UInt8], boxKey: [UInt8], codeID: [UInt8], psk: consuming SecretBytes, boxID: [UInt8],
        user: [UInt8]
    ) throws(EnrolmentURIError) {
        guard authorityKey.count == HandshakeSizes.key, boxKey.count == HandshakeSizes.key,
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

    /// Reads a URI. White space around it (a line's end, a paste's) is left out; inside it is an error.
    public init(parsing text: borrowing SecretBytes) throws(EnrolmentURIError) {
        self = try text.withBytes { (bytes) throws(EnrolmentURIError) in
            try Self.parse(bytes.extracting(Self.trimmed(bytes)))
        }
    }

    /// The URI's text, in ASCII.
    public borrowing func format() -> SecretBytes {
        var content = SecretBytes(count: Self.fixedBytes + user.count)
        let head = authorityKey + boxKey + codeID
        let tail = BoxIDDigits.field(boxID) + [UInt8(truncatingIfNeeded: user.count - 1)] + user
        content.withMutableBytes { target in
            target.store(head.span.bytes, at: 0)
            psk.withBytes { psk in target.store(psk, at: head.count) }
            target.store(tail.span.bytes, at: head.count + HandshakeSizes.psk)
        }
        let prefix = Self.prefixBytes
        var text = SecretBytes(count: prefix.count + Base32.characterCount(byteCount: content.count))
        text.withMutableBytes { target in
            target.store(prefix.span.bytes, at: 0)
            content.withBytes { bytes in Base32.encode(bytes, into: &target, at: prefix.count) }
        }
        return text
    }

    private static var prefixBytes: [UInt8] {
        prefix.withUTF8Buffer { [UInt8]($0) }
    }

    /// Where `text` is without the spaces, tabs and line ends before and after.
    private static func trimmed(_ text: RawSpan) -> Range<Int> {
        var (start, end) = (0, text.byteCount)
        while start < end, isSpace(text.octet(at: start)) { start += 1 }
        while end > start, isSpace(text.octet(at: end - 1)) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func parse(_ text: RawSpan) throws(EnrolmentURIError) -> EnrolmentURI {
        let prefix = prefixBytes
        let schemeBytes = prefix.count - 2
        guard starts(text, with: prefix[..<schemeBytes]) else { throw .notABoxlinkURI }
        guard text.byteCount <= byteCountLimit else { throw .tooLong }
        guard starts(text, with: prefix[...]) else { throw .unknownVersion }
        guard let content = Base32.decode(text.extracting(droppingFirst: prefix.count)),
            content.count > fixedBytes,
            content.count == fixedBytes + Int(content.byte(at: fixedBytes - 1)) + 1
        else { throw .damaged }
        let pskStart = 2 * HandshakeSizes.key + FirstMessage.codeIDBytes
        let pskEnd = pskStart + HandshakeSizes.psk
        let (head, tail) = content.withBytes { bytes in
            (
                [UInt8](copying: bytes.extracting(0..<pskStart)),
                [UInt8](copying: bytes.extracting(pskEnd..<bytes.byteCount))
            )
        }
        guard let boxID = BoxIDDigits.reading(tail[..<BoxIDDigits.fieldBytes]) else { throw .invalidField }
        return try EnrolmentURI(
            authorityKey: [UInt8](head[0..<32]), boxKey: [UInt8](head[32..<64]), codeID: [UInt8](head[64..<72]),
            psk: content.slice(pskStart..<pskEnd), boxID: boxID, user: [UInt8](tail[(BoxIDDigits.fieldBytes + 1)...]))
    }

    private static func starts(_ text: RawSpan, with prefix: ArraySlice<UInt8>) -> Bool {
        guard text.byteCount >= prefix.count else { return false }
        return zip(0..., prefix).allSatisfy { text.octet(at: $0) == $1 }
    }
}
