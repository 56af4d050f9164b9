import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

/// Watching a box. Taps use the watched channel: Bluetooth allows only one channel. The watcher gets a tap's outcome.
extension Phone {
    /// Keeps a channel open and reports each state of the box. Ends when `event` returns false, the task is cancelled,
    /// or the box refuses this phone. Reconnects after a lost link.
    public func watch(
        _ target: BoxTarget, _ interaction: PhoneInteraction,
        event: @escaping @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) {
        _ = try await run(.watch(target), ErrandListener(interaction, watch: event))
    }

    /// Sends a tap of the user while `watch` runs.
    public func tap(_ act: SessionAct, at target: BoxTarget) async {
        await watcher(of: target)?.feed(.tap(.act(act)))
    }

    /// Sends a tap to log in with the stored credential. Returns nil if the tap was sent, else the reason why not.
    ///
    /// - Parameter unlock: Asked for one PIN if the credential needs one. If the box or site refuses the PIN, the
    ///   watcher gets the refusal.
    public func logIn(at target: BoxTarget, unlock: any VaultUnlock) async throws(PhoneError) -> LoginOutcome? {
        try await tap(at: target, unlock) { request in
            .logIn(request)
        } phoneHeld: { credential in
            .login(credential)
        } boxHeld: { pin, secret in
            .loginWithPIN(pin: pin, deviceSecret: secret)
        } siteHeld: { sealed in
            .siteLogin(sealed)
        }
    }

    /// Allows `prompt`, by which a program such as sudo asks for the password, after the user has seen it. Returns the
    /// same as `logIn`. After a wrong PIN the box still asks, and you may call `allow` again.
    public func allow(
        _ prompt: ElevationPrompt, at target: BoxTarget, unlock: any VaultUnlock
    ) async throws(PhoneError) -> LoginOutcome? {
        try await tap(at: target, unlock) { request in
            .allow(request)
        } phoneHeld: { credential in
            .elevate(prompt.id, credential)
        } boxHeld: { pin, secret in
            .elevateWithPIN(prompt.id, pin: pin, deviceSecret: secret)
        } siteHeld: { sealed in
            .siteElevate(prompt.id, sealed)
        }
    }

    /// Declines `prompt`.
    public func decline(_ prompt: ElevationPrompt, at target: BoxTarget) async {
        guard let shell = await watcher(of: target), await shell.watched != nil else { return }
        await shell.feed(.tap(.decline(prompt.id)))
    }

    private func tap(
        at target: BoxTarget, _ unlock: any VaultUnlock, _ kind: (PhoneRequest) -> WatchTap,
        phoneHeld: (HeldSecret) -> PhoneRequest, boxHeld: (HeldSecret, HeldSecret) -> PhoneRequest,
        siteHeld: ([UInt8]) -> PhoneRequest
    ) async throws(PhoneError) -> LoginOutcome? {
        guard let shell = await watcher(of: target), let watched = await shell.watched else {
            throw .linkLost(boxID: target.boxID)
        }
        let request: PhoneRequest
        switch watched.box.mode {
        case .phoneHeld:
            switch try await run(.openCredential(watched.box), ErrandListener(unlock: unlock)) {
            case .opened(let credential): request = phoneHeld(credential)
            case .loggedIn(let outcome): return outcome
            default: throw .nonsense(boxID: target.boxID)
            }
        case .boxHeld:
            let secret = try await inVault { (vault) throws(VaultError) in try await vault.deviceSecret(watched.box.id)
            }
            guard let secret else { throw .noDeviceSecret(boxID: watched.box.digits) }
            let purpose = UnlockRequest.Purpose.boxCredential(boxID: target.boxID)
            let pin = await unlock.pin(
                for: UnlockRequest(purpose: purpose, triesLeft: watched.triesLeft, isRepeated: false))
            guard let pin else { return .gaveUp }
            request = boxHeld(pin, secret)
        case .siteHeld:
            guard let sealed = try await shell.sealed(at: target.boxID, unlock) else { return .gaveUp }
            request = siteHeld(sealed)
        }
        // The link may have been lost while the user typed. The tap then does not answer what the screen shows.
        guard await shell.tap(kind(request), whileWatching: watched.box) else { throw .linkLost(boxID: target.boxID) }
        return nil
    }
}
