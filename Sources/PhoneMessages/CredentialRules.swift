import Wire

/// Why a credential was refused where it was entered.
public enum CredentialRuleViolation: Error, Equatable, Sendable {
    /// No bytes: LDAP would take it for an anonymous bind.
    case empty
    /// More than `CredentialRules.bytes.upperBound` bytes.
    case tooLong
    /// A NUL ends a C string, and with it the password that PAM would see.
    case containsNUL
}

/// What a credential may look like: bytes, not text, because sites have passwords that are not UTF-8.
public enum CredentialRules {
    /// PAM_MAX_RESP_SIZE is 512 with its NUL, and crypt(3) takes no more than 511.
    public static let bytes = 1...511

    /// Refuses what PAM could not be given unchanged.
    public static func check(_ credential: RawSpan) throws(CredentialRuleViolation) {
        guard credential.byteCount >= bytes.lowerBound else { throw .empty }
        guard credential.byteCount <= bytes.upperBound else { throw .tooLong }
        // Looks at every byte, so that the time taken does not tell where a refused one stands.
        var zeros = 0
        for index in 0..<credential.byteCount where credential.byte(at: index) == 0 {
            zeros += 1
        }
        guard zeros == 0 else { throw .containsNUL }
    }
}
