import Secrets
import SecureChannel

/// A site's enrolment code that was read: the public parts, and the one-time secret in guarded memory.
public struct SiteCode: Sendable {
    public let rootKey: [UInt8]
    public let siteKey: [UInt8]
    let codeID: [UInt8]
    let secret: HeldSecret
    /// 16 bytes.
    public let site: [UInt8]

    /// Reads the text of a code. The error says what to do.
    public init(parsing text: borrowing SecretBytes) throws(SiteEnrolmentCodeError) {
        let code = try SiteEnrolmentCode(parsing: text)
        rootKey = code.rootKey
        siteKey = code.siteKey
        codeID = code.codeID
        secret = HeldSecret(code.secret.copy())
        site = code.site
    }
}
