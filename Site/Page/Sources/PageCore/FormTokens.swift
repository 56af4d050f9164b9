import Crypto

/// What a form of ours carries, and a form of another page cannot know: a code over who holds it, a session's or a visitor's secret.
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
