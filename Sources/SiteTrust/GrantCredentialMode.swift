/// Who keeps the credential of a phone of the site. The numbers stand in grants.
///
/// 1, which a box says of a device whose credential it holds, is no mode of a grant: a grant is good at boxes that hold
/// nothing.
public enum GrantCredentialMode: UInt8, CaseIterable, Sendable {
    /// The phone keeps it and sends it with each login.
    case phoneHeld = 0
    /// The site keeps it, and opens it with a PIN and the phone's device secret.
    case siteHeld = 2
}
