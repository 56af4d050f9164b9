import PhoneCore
import Secrets

/// Opens a credential: with a PIN that a person enters, or with one that a platform's key store keeps behind a
/// fingerprint or a face.
///
/// A key store's answer is a text of 4–32 characters as well (random, as long as may be): vault and box do not know
/// the difference, and the same tries count for it.
public protocol VaultUnlock: Sendable {
    /// Whether a person has to think and type. The phone then finds the box and asks how many tries are left before
    /// it asks the person; otherwise PIN and login go out in one round trip.
    var asksPerson: Bool { get }

    /// The PIN in NFC, as `PINRules` allow; nil when the person gives up. Asked again after a wrong one.
    func pin(for request: UnlockRequest) async -> HeldSecret?
}

/// One PIN that is known beforehand, for one try. It is given away, not kept.
public actor GivenPIN: VaultUnlock {
    public nonisolated let asksPerson = false
    private var given: HeldSecret?

    public init(_ pin: consuming HeldSecret) {
        given = pin
    }

    public func pin(for request: UnlockRequest) -> HeldSecret? { given.take() }
}
