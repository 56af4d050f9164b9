import Vault
import VaultPort

/// The source of the vault for `Phone`. Only one process at a time can open a vault. An app keeps the vault open. A
/// command closes the vault between two uses, so that several commands can run at once.
public protocol VaultSource: Sendable {
    func vault() async throws(VaultError) -> PhoneVault
}

/// A vault that stays open.
public struct KeptVault: VaultSource {
    private let kept: PhoneVault

    public init(_ vault: PhoneVault) {
        kept = vault
    }

    public func vault() -> PhoneVault { kept }
}
