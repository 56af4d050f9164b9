import Vault
import VaultPort

/// Where `Phone` has its vault from. A vault is open in one process at a time: an app keeps it, a command line lets
/// go of it between two uses, so that several commands can run side by side.
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
