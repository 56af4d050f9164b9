import PhoneMessages
import Secrets
import Vault
import VaultPort

/// What came of a login.
public enum LoginOutcome: Sendable, Equatable {
    case answered(RequestOutcome)
    /// This phone's own PIN was wrong, and nobody tried another.
    case phonePINWrong(triesLeft: Int)
    /// The last wrong PIN: the passwords that this phone held are destroyed.
    case phoneWiped
    /// Nothing is stored for this box; a password has to be given.
    case noCredential
    /// Nobody gave a PIN.
    case gaveUp
}

extension Phone {
    /// Logs in with a password that was just entered, as `CredentialRules` allow. Sent once; a link that breaks
    /// afterwards is `linkLost`, never a second try.
    public func login(
        _ target: BoxTarget, credential: consuming HeldSecret, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await login(target, Handover(consume credential), interaction)
    }

    private func login(
        _ target: BoxTarget, _ handover: Handover, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .login, .never, interaction) { (_) throws(PhoneError) in
            .login(try handover.take())
        }.outcome
    }

    /// Logs in with what is stored, on the phone or on the box.
    public func login(
        _ target: BoxTarget, unlock: any VaultUnlock, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> LoginOutcome {
        guard target.candidates.allSatisfy({ $0.mode == .boxHeld }) else {
            return try await loginPhoneHeld(target, unlock, interaction)
        }
        return try await loginBoxHeld(target, unlock, interaction)
    }

    /// Which of several boxes that show the same digits is meant: to know before a secret of one of them is asked for, so that
    /// it goes to no other.
    public func chosen(
        _ target: BoxTarget, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> BoxTarget {
        guard target.candidates.count > 1 else { return target }
        let connected = try await connect(to: target, interaction)
        await end(connected.channel)
        return BoxTarget(connected.box)
    }

    // MARK: On the phone

    private func loginPhoneHeld(
        _ target: BoxTarget, _ unlock: any VaultUnlock, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> LoginOutcome {
        guard let box = target.candidates.first, target.candidates.count == 1 else {
            // Which of them it is decides which password: find out first, without asking for a PIN in between.
            return try await login(try await chosen(target, interaction), unlock: unlock, interaction)
        }
        let handover = Handover()
        if let outcome = try await openCredential(of: box, unlock, into: handover) { return outcome }
        return .answered(try await login(target, handover, interaction))
    }

    /// Opens the stored password, asking for the PIN as often as the person has another one. Nil when it is opened.
    func openCredential(
        of box: KnownBox, _ unlock: any VaultUnlock, into handover: Handover
    ) async throws(PhoneError) -> LoginOutcome? {
        var pin: HeldSecret?
        var isRepeated = false
        while true {
            let given = pin
            let outcome = try await inVault { (vault) throws(VaultError) in
                try await vault.credential(for: box.id, pin: given)
            }
            switch outcome {
            case .opened(let credential):
                handover.fill(credential)
                return nil
            case .noCredential: return .noCredential
            case .wiped: return .phoneWiped
            case .pinNeeded, .pinWrong:
                let left = try await triesLeft()
                if case .pinWrong = outcome { isRepeated = true }
                let request = UnlockRequest(purpose: .phoneVault, triesLeft: left, isRepeated: isRepeated)
                guard let answer = await unlock.pin(for: request) else {
                    return isRepeated ? .phonePINWrong(triesLeft: left ?? 0) : .gaveUp
                }
                pin = answer
            }
        }
    }

    // MARK: On the box

    private func loginBoxHeld(
        _ target: BoxTarget, _ unlock: any VaultUnlock, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> LoginOutcome {
        // Which of them it is decides whose PIN is asked for.
        let target = try await chosen(target, interaction)
        var triesLeft: Int?
        if unlock.asksPerson {
            // The box is there, and the last try is known as such, before anybody types.
            let state = try await status(target, interaction)
            triesLeft = state.pinAttemptsLeft.map(Int.init)
            if state.credentialStale { return .answered(.refused(.credentialStale, .none)) }
            if triesLeft == nil { return .answered(.refused(.noCredential, .none)) }
        }
        var isRepeated = false
        while true {
            let request = UnlockRequest(
                purpose: .boxCredential(boxID: target.boxID), triesLeft: triesLeft, isRepeated: isRepeated)
            var pin = await unlock.pin(for: request)
            guard pin != nil else {
                guard isRepeated, let triesLeft else { return .gaveUp }
                return .answered(.refused(.pinWrong, ResultDetail(attemptsLeft: UInt8(clamping: triesLeft))))
            }
            let handover = Handover(pin.take())
            let outcome = try await ask(target, .login, .never, interaction) { (box) throws(PhoneError) in
                let secret = try await self.deviceSecret(of: box)
                return .loginWithPIN(pin: try handover.take(), deviceSecret: secret)
            }.outcome
            guard case .refused(.pinWrong, let detail) = outcome else { return .answered(outcome) }
            triesLeft = detail.attemptsLeft.map(Int.init)
            isRepeated = true
        }
    }

    func deviceSecret(of box: KnownBox) async throws(PhoneError) -> HeldSecret {
        let secret = try await inVault { (vault) throws(VaultError) in try await vault.deviceSecret(box.id) }
        guard let secret else { throw .noDeviceSecret(boxID: box.digits) }
        return secret
    }
}
