import PhoneCore
import Secrets

/// Opens a credential with a PIN that the user types, or that a platform's key store keeps behind a fingerprint or a
/// face.
///
/// A key store's answer is also a text of 4–32 characters, random and as long as possible. Vault and box see no
/// difference, and count the same tries.
public protocol VaultUnlock: Sendable {
    /// True if the user must type. The phone then asks the box for the tries left before asking the user. Otherwise PIN
    /// and login go out in one round trip.
    var asksPerson: Bool { get }

    /// Returns the PIN in NFC, as `PINRules` allow, or nil if the user gives up. Called again after a wrong PIN.
    func pin(for request: UnlockRequest) async -> HeldSecret?
}

/// One PIN that is known beforehand, for one try. The PIN is handed out once and not kept.
public actor GivenPIN: VaultUnlock {
    public nonisolated let asksPerson = false
    private var given: HeldSecret?

    public init(_ pin: consuming HeldSecret) {
        given = pin
    }

    public func pin(for request: UnlockRequest) -> HeldSecret? { given.take() }
}
