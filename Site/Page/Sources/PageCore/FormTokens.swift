import Crypto

/// Tokens that prove that a form comes from this page. Each is a MAC of the holder: a session's or a visitor's secret.
public struct FormTokens: Sendable {
    private let key: SymmetricKey

    public init() {
        key = SymmetricKey(size: .bits256)
    }

    public func token(for holder: [UInt8]) -> String {
        Base64URL.text(Array(HMAC<SHA256>.authenticationCode(for: holder, using: key)))
    }

    public func isGood(_ token: String?, for holder: [UInt8]) -> Bool {
        guard let token, let bytes = Base64URL.bytes(token, limit: SHA256.byteCount) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: holder, using: key)
    }
}
