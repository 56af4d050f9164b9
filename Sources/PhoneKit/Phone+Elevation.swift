import PhoneMessages
import Secrets
import Vault

/// Answers to a box that asks whether a program such as sudo may have the person's password.
extension Phone {
    /// The person has seen `prompt` and allows it. While `watch` runs the answer goes over its channel, and the watcher
    /// hears what came of it; nil then. Otherwise why nothing was sent.
    ///
    /// - Parameter unlock: Asked for one PIN, where the credential is behind one. A wrong PIN for what the box holds comes
    ///   back to the watcher; the box goes on asking, and this may be called again.
    public func allow(
        _ prompt: ElevationPrompt, at target: BoxTarget, unlock: any VaultUnlock
    ) async throws(PhoneError) -> LoginOutcome? {
        guard let watched = watched[target.boxID] else { throw .linkLost(boxID: target.boxID) }
        let box = watched.box
        let request: PhoneRequest
        switch box.mode {
        case .phoneHeld:
            let handover = Handover()
            if let outcome = try await openCredential(of: box, unlock, into: handover) { return outcome }
            request = .elevate(prompt.id, try handover.take())
        case .boxHeld:
            let secret = try await deviceSecret(of: box)
            let purpose = UnlockRequest.Purpose.boxCredential(boxID: target.boxID)
            let pin = await unlock.pin(
                for: UnlockRequest(purpose: purpose, triesLeft: watched.triesLeft, isRepeated: false))
            guard let pin else { return .gaveUp }
            request = .elevateWithPIN(prompt.id, pin: pin, deviceSecret: secret)
        }
        enqueue(.allow(request), at: target.boxID)
        return nil
    }

    /// The person does not allow it.
    public func decline(_ prompt: ElevationPrompt, at target: BoxTarget) {
        enqueue(.decline(prompt.id), at: target.boxID)
    }
}
