/// The place where a device's credential is stored (docs/decisions/008-vault.md).
///
/// The numbers occur in the messages of phone and box (docs/reference/protocol.md) and in the vaults. The words occur
/// in messages between commands and agent, and in JSON.
public enum CredentialMode: UInt8, CaseIterable, Sendable {
    /// The phone stores the credential and sends it with each login.
    case phoneHeld = 0
    /// The box stores the credential, and opens it with a PIN and the phone's device secret.
    case boxHeld = 1
    /// The phone's site stores the credential, and opens it in the same way for the box that the phone is at
    /// (docs/reference/site-protocol.md, 19). A device that is enrolled at a box never has this mode.
    case siteHeld = 2

    public var word: String {
        switch self {
        case .phoneHeld: "phone-held"
        case .boxHeld: "box-held"
        case .siteHeld: "site-held"
        }
    }

    public init?(word: String) {
        guard let mode = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = mode
    }
}
