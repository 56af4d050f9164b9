import PhoneMessages
import Secrets
import Vault

/// Taps for which the password is needed, while `watch` runs: they go over its channel, the only one that a connection over
/// Bluetooth has, and the watcher hears what came of them.
extension Phone {
    /// The person taps to log in with what is stored. Nil: it is on its way. Otherwise why nothing was sent.
    ///
    /// - Parameter unlock: Asked for one PIN, where the credential is behind one. A wrong PIN for what the box holds comes
    ///   back to the watcher, as a refusal.
    public func logIn(at target: BoxTarget, unlock: any VaultUnlock) async throws(PhoneError) -> LoginOutcome? {
        try await tap(at: target, unlock) { request in
            .logIn(request)
        } phoneHeld: { credential in
            .login(credential)
        } boxHeld: { pin, secret in
            .loginWithPIN(pin: pin, deviceSecret: secret)
        }
    }

    /// The person has seen `prompt`, by which a program such as sudo asks for their password, and allows it. As `logIn`; after
    /// a wrong PIN the box goes on asking, and this may be called again.
    public func allow(
        _ prompt: ElevationPrompt, at target: BoxTarget, unlock: any VaultUnlock
    ) async throws(PhoneError) -> LoginOutcome? {
        try await tap(at: target, unlock) { request in
            .allow(request)
        } phoneHeld: { credential in
            .elevate(prompt.id, credential)
        } boxHeld: { pin, secret in
            .elevateWithPIN(prompt.id, pin: pin, deviceSecret: secret)
        }
    }

    /// The person does not allow it.
    public func decline(_ prompt: ElevationPrompt, at target: BoxTarget) {
        enqueue(.decline(prompt.id), at: watchedChannel(target)?.box)
    }

    private func tap(
        at target: BoxTarget, _ unlock: any VaultUnlock, _ kind: (PhoneRequest) -> WatchTap,
        phoneHeld: (HeldSecret) -> PhoneRequest, boxHeld: (HeldSecret, HeldSecret) -> PhoneRequest
    ) async throws(PhoneError) -> LoginOutcome? {
        guard let watched = watchedChannel(target) else { throw .linkLost(boxID: target.boxID) }
        let request: PhoneRequest
        switch watched.box.mode {
        case .phoneHeld:
            let handover = Handover()
            if let outcome = try await openCredential(of: watched.box, unlock, into: handover) { return outcome }
            request = phoneHeld(try handover.take())
        case .boxHeld:
            let secret = try await deviceSecret(of: watched.box)
            let purpose = UnlockRequest.Purpose.boxCredential(boxID: target.boxID)
            let pin = await unlock.pin(
                for: UnlockRequest(purpose: purpose, triesLeft: watched.triesLeft, isRepeated: false))
            guard let pin else { return .gaveUp }
            request = boxHeld(pin, secret)
        }
        // While the person typed, the link may have gone: what they see now is not what they answered.
        guard watchedChannel(target)?.box.id == watched.box.id else { throw .linkLost(boxID: target.boxID) }
        enqueue(kind(request), at: watched.box)
        return nil
    }
}
