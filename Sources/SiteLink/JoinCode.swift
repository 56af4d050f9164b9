import Secrets
import SecureChannel

/// The reasons why a text is not a join code.
public enum JoinCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAJoinCode
    case unknownVersion
    case damaged

    public var description: String {
        switch self {
        case .notAJoinCode:
            "this is not a join code: a join code begins with boxsite:1/ and comes from `boxsite box add` at the site's server"
        case .unknownVersion: "the join code is of a newer version; update boxagent"
        case .damaged: "the join code is damaged: characters are missing or changed; copy all of it again"
        }
    }

    init(_ failure: CodeText.Failure) {
        switch failure {
        case .otherScheme: self = .notAJoinCode
        case .unknownVersion: self = .unknownVersion
        case .tooLong, .damaged: self = .damaged
        }
    }
}

/// The code from `boxsite box add` for `boxagent join`, with which a box joins the site, once.
///
/// The text is `boxsite:1/` and the base 32 of: root key (32) ‖ code id (8) ‖ secret (32) ‖ count of addresses (1) ‖
/// for each its length (1) and the address. The text carries a secret, so it exists in guarded memory only.
public struct JoinCode: ~Copyable, Sendable {
    public static let prefix: StaticString = "boxsite:1/"
    /// Longest code, in bytes.
    public static let byteCountLimit =
        10 + Base32.characterCount(byteCount: fixedBytes + SiteAddressList.limit * (1 + SiteAddress.byteLimit))
    private static let headBytes = HandshakeSizes.key + FirstMessage.codeIDBytes
    private static let fixedBytes = headBytes + HandshakeSizes.psk + 1

    /// Ed25519 public key of the site's root, 32 bytes, which the box trusts from then on.
    public let rootKey: [UInt8]
    /// 8 bytes, sent in clear.
    public let codeID: [UInt8]
    /// 32 bytes.
    public let secret: SecretBytes
    /// 1 to 4.
    public let servers: [SiteAddress]

    /// Returns nil if a length is not valid.
    public init?(rootKey: [UInt8], codeID: [UInt8], secret: consuming SecretBytes, servers: [SiteAddress]) {
        guard rootKey.count == HandshakeSizes.key, codeID.count == FirstMessage.codeIDBytes,
            secret.count == HandshakeSizes.psk, (1...SiteAddressList.limit).contains(servers.count)
        else { return nil }
        self.rootKey = rootKey
        self.codeID = codeID
        self.secret = secret
        self.servers = servers
    }

    /// Reads a code, and ignores white space around it.
    public init(parsing text: borrowing SecretBytes) throws(JoinCodeError) {
        let parts: CodeText.Parts
        do throws(CodeText.Failure) {
            parts = try CodeText.parse(text, prefix: Self.prefix, headBytes: Self.headBytes, limit: Self.byteCountLimit)
        } catch {
            throw JoinCodeError(error)
        }
        guard
            let servers = SiteAddressList.read(parts.tail),
            let code = JoinCode(
                rootKey: [UInt8](parts.head[..<HandshakeSizes.key]), codeID: [UInt8](parts.head[HandshakeSizes.key...]),
                secret: parts.secret.copy(), servers: servers)
        else { throw .damaged }
        self = code
    }

    /// Returns the code's text, in ASCII.
    public borrowing func format() -> SecretBytes {
        CodeText.format(
            prefix: Self.prefix, head: rootKey + codeID, secret: secret, tail: SiteAddressList.bytes(servers))
    }
}
