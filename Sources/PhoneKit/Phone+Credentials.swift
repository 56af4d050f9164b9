import PhoneCore
import Secrets
import Vault
import VaultPort

/// What came of a change in this phone's own vault.
public enum PhoneVaultOutcome: Sendable, Equatable {
    case done
    case pinNeeded
    case pinWrong(triesLeft: Int)
    /// The last wrong PIN: the passwords that this phone held are destroyed.
    case wiped
}

/// Stored passwords and PINs.
extension Phone {
    /// Whether this phone's own vault has a PIN.
    public func hasPIN() async throws(PhoneError) -> Bool {
        try await inVault { (vault) throws(VaultError) in try await vault.hasPIN() }
    }

    /// Tries left of this phone's own PIN; nil without one.
    public func triesLeft() async throws(PhoneError) -> Int? {
        try await inVault { (vault) throws(VaultError) in try await vault.attemptsLeft() }.map(Int.init)
    }

    /// Keeps a password on this phone. With a PIN set, the PIN is needed, and a wrong one is a try.
    public func keepCredential(
        _ credential: HeldSecret, for box: KnownBox, pin: HeldSecret?
    ) async throws(PhoneError) -> PhoneVaultOutcome {
        PhoneVaultOutcome(
            try await inVault { (vault) throws(VaultError) in
                try await vault.setCredential(credential, for: box.id, pin: pin)
            })
    }

    /// Sets, changes or (`new` nil) removes this phone's own PIN. The old PIN is a try.
    public func changePhonePIN(
        old: HeldSecret?, new: HeldSecret?
    ) async throws(PhoneError) -> PhoneVaultOutcome {
        PhoneVaultOutcome(
            try await inVault { (vault) throws(VaultError) in try await vault.changePIN(old: old, new: new) })
    }

    /// Has the box keep a password, with a new PIN and all of its tries, in place of what it may hold already.
    public func storeCredential(
        _ target: BoxTarget, credential: consuming HeldSecret, pin: consuming HeldSecret,
        _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .storeCredential(credential, pin: pin), ErrandListener(interaction)).outcome
    }

    /// How many tries are left for what the box, or its site, holds; nil: neither holds anything, or none can say.
    public func triesLeft(_ target: BoxTarget, _ interaction: PhoneInteraction) async throws(PhoneError) -> Int? {
        let isSiteHeld = target.candidates.first?.mode == .siteHeld
        let answer = try await ask(target, isSiteHeld ? .tries : .status, ErrandListener(interaction))
        return answer.state?.pinAttemptsLeft.map(Int.init)
    }

    /// Changes the PIN of what the box holds. A wrong old PIN is a try.
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
