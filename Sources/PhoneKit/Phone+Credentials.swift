import PhoneCore
import Secrets
import Vault
import VaultPort

/// The outcome of a change in this phone's own vault.
public enum PhoneVaultOutcome: Sendable, Equatable {
    case done
    case pinNeeded
    case pinWrong(triesLeft: Int)
    /// The last try was used up, so the passwords on this phone are destroyed.
    case wiped
}

/// Stored passwords and PINs.
extension Phone {
    /// Returns whether this phone's own vault has a PIN.
    public func hasPIN() async throws(PhoneError) -> Bool {
        try await inVault { (vault) throws(VaultError) in try await vault.hasPIN() }
    }

    /// Returns the tries left for this phone's own PIN, or nil without a PIN.
    public func triesLeft() async throws(PhoneError) -> Int? {
        try await inVault { (vault) throws(VaultError) in try await vault.attemptsLeft() }.map(Int.init)
    }

    /// Keeps a password on this phone. If a PIN is set, the PIN is needed, and a wrong one costs a try.
    public func keepCredential(
        _ credential: HeldSecret, for box: KnownBox, pin: HeldSecret?
    ) async throws(PhoneError) -> PhoneVaultOutcome {
        PhoneVaultOutcome(
            try await inVault { (vault) throws(VaultError) in
                try await vault.setCredential(credential, for: box.id, pin: pin)
            })
    }

    /// Sets or changes this phone's own PIN, or removes it if `new` is nil. A wrong old PIN costs a try.
    public func changePhonePIN(
        old: HeldSecret?, new: HeldSecret?
    ) async throws(PhoneError) -> PhoneVaultOutcome {
        PhoneVaultOutcome(
            try await inVault { (vault) throws(VaultError) in try await vault.changePIN(old: old, new: new) })
    }

    /// Stores a password at the box or its site, in place of an older one, with a new PIN and all tries.
    public func storeCredential(
        _ target: BoxTarget, credential: consuming HeldSecret, pin: consuming HeldSecret,
        _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .storeCredential(credential, pin: pin), ErrandListener(interaction)).outcome
    }

    /// Returns the tries left for the box-held or site-held credential, or nil without a credential or a known number.
    public func triesLeft(_ target: BoxTarget, _ interaction: PhoneInteraction) async throws(PhoneError) -> Int? {
        let isSiteHeld = target.candidates.first?.mode == .siteHeld
        let answer = try await ask(target, isSiteHeld ? .tries : .status, ErrandListener(interaction))
        return answer.state?.pinAttemptsLeft.map(Int.init)
    }

    /// Changes the PIN of a credential that the box or its site holds. A wrong old PIN costs a try.
    public func changeBoxPIN(
        _ target: BoxTarget, old: consuming HeldSecret, new: consuming HeldSecret, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .changePIN(old: old, new: new), ErrandListener(interaction)).outcome
    }
}

extension PhoneVaultOutcome {
    fileprivate init(_ outcome: PhoneCredentialOutcome?) {
        switch outcome {
        case nil, .opened, .noCredential: self = .done
        case .pinNeeded: self = .pinNeeded
        case .pinWrong(let left): self = .pinWrong(triesLeft: Int(left))
        case .wiped: self = .wiped
        }
    }
}
