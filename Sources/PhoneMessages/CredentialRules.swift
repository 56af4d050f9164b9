import Wire

/// The reasons to refuse a credential where it is entered.
public enum CredentialRuleViolation: Error, Equatable, Sendable {
    /// Empty: LDAP would treat the login as an anonymous bind.
    case empty
    /// More than `CredentialRules.bytes.upperBound` bytes.
    case tooLong
    /// A NUL would end the C string, and PAM would see a shorter password.
    case containsNUL
}

/// The rules for a credential. A credential is bytes, not text, because some sites have passwords that are not UTF-8.
public enum CredentialRules {
    /// PAM_MAX_RESP_SIZE is 512 with its NUL, and crypt(3) takes at most 511 bytes.
    public static let bytes = 1...511

    /// Throws if PAM could not receive the credential unchanged.
    public static func check(_ credential: RawSpan) throws(CredentialRuleViolation) {
        guard credential.byteCount >= bytes.lowerBound else { throw .empty }
        guard credential.byteCount <= bytes.upperBound else { throw .tooLong }
        // Check every byte, so that the time does not reveal the position of a NUL.
        var zeros = 0
        for index in 0..<credential.byteCount where credential.byte(at: index) == 0 {
            zeros += 1
        }
        guard zeros == 0 else { throw .containsNUL }
    }
}
