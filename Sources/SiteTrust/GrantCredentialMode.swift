/// The keeper of the credential of a site's phone. Grants carry these numbers.
///
/// 1 is not used in grants. It marks a device whose credential the box holds.
public enum GrantCredentialMode: UInt8, CaseIterable, Sendable {
    /// The phone keeps the credential and sends it with each login.
    case phoneHeld = 0
    /// The site keeps the credential, and opens it with a PIN and the phone's device secret.
    case siteHeld = 2
}
