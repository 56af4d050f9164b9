/// Who keeps the credential of a device (docs/decisions/008-vault.md).
///
/// The numbers stand in the messages of phone and box (docs/reference/protocol.md) and in the vaults; the words in what commands and agent
/// say to each other, and in JSON.
public enum CredentialMode: UInt8, CaseIterable, Sendable {
    /// The phone keeps it and sends it with each login.
    case phoneHeld = 0
    /// The box keeps it, and opens it with a PIN and the phone's device secret.
    case boxHeld = 1
    /// The phone's site keeps it, and opens it in the same way for the box that the phone is at (docs/reference/site-protocol.md, 19). Of no device
    /// that is enrolled at a box.
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
