import Secrets

/// What `boxsite phone enrol` shows, and a phone takes in at any box of the site: with it a phone is enrolled there, once.
///
/// The text is `boxsite-enrol:1/` and the base 32 of: root key (32) ‖ site key (32) ‖ code id (8) ‖ secret (32) ‖ site id (16). It
/// carries a secret, so it exists in guarded memory only. The site id stands there for a site whose root is not its first: it follows
/// from no key that the phone has.
public struct SiteEnrolmentCode: ~Copyable, Sendable {
    public static let prefix: StaticString = "boxsite-enrol:1/"
    /// Length of a site id, in bytes.
    public static let siteBytes = 16
    /// Length of every code, in bytes.
    public static let byteCount =
        16 + Base32.characterCount(byteCount: headBytes + HandshakeSizes.psk + siteBytes)
    private static let headBytes = 2 * HandshakeSizes.key + FirstMessage.codeIDBytes

    /// Ed25519 public key of the site's root, 32 bytes: it signs the document that the phone gets.
    public let rootKey: [UInt8]
    /// X25519 public key of the site, 32 bytes: the other end of the handshake.
    public let siteKey: [UInt8]
    /// 8 bytes, sent in clear.
    public let codeID: [UInt8]
    /// 32 bytes.
    public let secret: SecretBytes
    /// 16 bytes.
    public let site: [UInt8]

    /// Nil if a length is another one, or the site key is not in its one encoding.
    public init?(rootKey: [UInt8], siteKey: [UInt8], codeID: [UInt8], secret: consuming SecretBytes, site: [UInt8]) {
        guard rootKey.count == HandshakeSizes.key, X25519KeyPair.isPublicKey(siteKey),
            codeID.count == FirstMessage.codeIDBytes, secret.count == HandshakeSizes.psk, site.count == Self.siteBytes
        else { return nil }
        self.rootKey = rootKey
        self.siteKey = siteKey
        self.codeID = codeID
        self.secret = secret
        self.site = site
    }

    /// Reads a code. White space before and behind it is left out.
    public init(parsing text: borrowing SecretBytes) throws(SiteEnrolmentCodeError) {
        let parts: CodeText.Parts
        do throws(CodeText.Failure) {
            parts = try CodeText.parse(text, prefix: Self.prefix, headBytes: Self.headBytes, limit: Self.byteCount)
        } catch {
            throw SiteEnrolmentCodeError(error)
        }
        let head = parts.head
        guard
            let code = SiteEnrolmentCode(
                rootKey: [UInt8](head[..<32]), siteKey: [UInt8](head[32..<64]), codeID: [UInt8](head[64...]),
                secret: parts.secret.copy(), site: parts.tail)
        else { throw .damaged }
        self = code
    }

    /// The code's text, in ASCII.
    public borrowing func format() -> SecretBytes {
        CodeText.format(prefix: Self.prefix, head: rootKey + siteKey + codeID, secret: secret, tail: site)
    }

    /// What phone and site agree on before the handshake: label ‖ site id (16) ‖ code id (8). The label is this handshake's alone, so
    /// nothing that is said in it means something to another use of the site's key.
    public static func prologue(site: [UInt8], codeID: [UInt8]) -> [UInt8] {
        prologueLabel.withUTF8Buffer { [UInt8]($0) } + site + codeID
    }

    private static let prologueLabel: StaticString = "boxlink-site-enrol/1"
}

/// Why a text is no enrolment code of a site.
public enum SiteEnrolmentCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    case notACode
    case unknownVersion
    case damaged

    public var description: String {
        switch self {
        case .notACode:
            "this is not a site's enrolment code: it must begin with boxsite-enrol:1/ and comes from the site's administrator"
        case .unknownVersion: "the code is of a newer version; update this program"
        case .damaged: "the code is damaged: characters are missing or changed; copy or scan all of it again"
        }
    }

    init(_ failure: CodeText.Failure) {
        switch failure {
        case .otherScheme: self = .notACode
        case .unknownVersion: self = .unknownVersion
        case .tooLong, .damaged: self = .damaged
        }
    }
}
