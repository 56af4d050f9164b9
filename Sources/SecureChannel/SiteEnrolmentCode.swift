import Secrets

/// The code from `boxsite phone enrol`, which enrols a phone at any box of the site, once.
///
/// The text is `boxsite-enrol:1/` and the base 32 of: root key (32) ‖ site key (32) ‖ code id (8) ‖ secret (32) ‖ site
/// id (16). The text carries a secret, so it exists in guarded memory only. It includes the site id, which a phone
/// cannot derive from the root key of a site that has replaced its first root.
public struct SiteEnrolmentCode: ~Copyable, Sendable {
    public static let prefix: StaticString = "boxsite-enrol:1/"
    /// Length of a site id, in bytes.
    public static let siteBytes = 16
    /// Length of every code, in bytes.
    public static let byteCount =
        16 + Base32.characterCount(byteCount: headBytes + HandshakeSizes.psk + siteBytes)
    private static let headBytes = 2 * HandshakeSizes.key + FirstMessage.codeIDBytes

    /// Ed25519 public key of the site's root, 32 bytes, which signs the phone's site document.
    public let rootKey: [UInt8]
    /// X25519 public key of the site, 32 bytes: the other end of the handshake.
    public let siteKey: [UInt8]
    /// 8 bytes, sent in clear.
    public let codeID: [UInt8]
    /// 32 bytes.
    public let secret: SecretBytes
    /// 16 bytes.
    public let site: [UInt8]

    /// Returns nil if a length is not valid, or the site key is not in its one encoding.
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

    /// Reads a code, and ignores white space around it.
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

    /// Returns the code's text, in ASCII.
    public borrowing func format() -> SecretBytes {
        CodeText.format(prefix: Self.prefix, head: rootKey + siteKey + codeID, secret: secret, tail: site)
    }

    /// The data on which phone and site agree before the handshake: label ‖ site id (16) ‖ code id (8). Only this
    /// handshake has the label, so its messages have no meaning in another use of the site's key.
    public static func prologue(site: [UInt8], codeID: [UInt8]) -> [UInt8] {
        prologueLabel.withUTF8Buffer { [UInt8]($0) } + site + codeID
    }

    private static let prologueLabel: StaticString = "boxlink-site-enrol/1"
}

/// The reasons why a text is not a site's enrolment code.
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
