import AgentCore
import AuditLog
import PhoneMessages
import Secrets
import Sessions
import TextOutput
import Vault
import VaultPort

/// One request of an authenticated device. The user is the one of its record, never one named in a message.
struct PhoneRequestHandler {
    let agent: Agent
    let channel: PhoneChannel
    let device: DeviceRecord
    let id: RequestID
    let askedAt: Duration

    func handle(_ request: PhoneRequest) async {
        switch request {
        case .login, .loginWithPIN, .unlock, .elevate, .elevateWithPIN: await agent.handle(.tapped, of: device.id)
        default: break
        }
        switch request {
        case .login(let credential):
            guard device.mode == .phoneHeld else { return answer(.notAllowed) }
            await login(with: credential)
        case .loginWithPIN(let pin, let deviceSecret):
            guard let credential = await stored(pin, deviceSecret) else { return }
            await login(with: credential)
        case .storeCredential(let pin, let deviceSecret, let credential):
            guard device.mode == .boxHeld else { return answer(.notAllowed) }
            await store(credential, pin, deviceSecret)
        case .changePIN(let old, let new, let deviceSecret):
            await changePIN(old, new, deviceSecret)
        case .cancelLogin:
            await agent.cancelLogin(on: channel.id)
            answer(.correct)
        case .lock: await session(.lock)
        case .unlock: await session(.unlock)
        case .logout: await session(.logout)
        case .status:
            channel.tell(.state(await agent.state(for: device)))
            answer(.correct)
        case .setAutoLogout(let seconds):
            await setAutoLogout(seconds)
        case .extend:
            let code = await agent.extendSessions(of: device)
            channel.tell(.state(await agent.state(for: device)))
            answer(code)
        case .ping(let bytes):
            await agent.waitForPing(of: bytes.count)
            await channel.sendInTurn(.pong(id, bytes))
        case .reportSignal(let dBm):
            // Not answered: once a second, an answer would cost as much as the report.
            await agent.handle(.report(dBm: dBm), of: device.id)
        case .setThresholds(let thresholds):
            answer(await agent.setThresholds(thresholds, for: device.id))
        case .elevate(let elevation, let credential):
            guard device.mode == .phoneHeld else { return answer(.notAllowed) }
            await agent.elevate(elevation, tap(with: credential))
        case .elevateWithPIN(let elevation, let pin, let deviceSecret):
            // A tap that came too late costs no try.
            guard await agent.elevations.isOpen(elevation, user: device.user) else { return answer(.timedOut) }
            guard let credential = await stored(pin, deviceSecret) else { return }
            await agent.elevate(elevation, tap(with: credential))
        case .declineElevation(let elevation):
            await agent.declineElevation(elevation, of: device)
            answer(.correct)
        case .hello, .enrol, .reveal, .enrolment:
            answer(.badRequest)
        }
    }

    private func login(with credential: HeldSecret) async {
        await agent.tap(tap(with: credential))
    }

    private func tap(with credential: HeldSecret) -> Tap {
        Tap(
            id: TapID(channel: channel.id, request: id), device: device.id, user: device.user, credential: credential,
            tappedAt: askedAt)
    }

    /// The credential that the box holds; nil when the phone has been told why not.
    private func stored(_ pin: HeldSecret, _ deviceSecret: HeldSecret) async -> HeldSecret? {
        do {
            let outcome = try await onCredential { (vault) throws(VaultError) in
                try await vault.openCredential(device: device.id, pin: pin, deviceSecret: deviceSecret)
            }
            if case .opened(let credential) = outcome { return credential }
            await tell(outcome)
        } catch {
            await fault(error)
        }
        return nil
    }

    private func changePIN(_ old: HeldSecret, _ new: HeldSecret, _ deviceSecret: HeldSecret) async {
        guard await agent.mayWrite(for: .device(device.id), user: device.user) else { return answer(.busy) }
        do {
            let refused = try await onCredential { (vault) throws(VaultError) in
                try await vault.changePIN(device: device.id, old: old, new: new, deviceSecret: deviceSecret)
            }
            if let refused { return await tell(refused) }
            await agent.audit(.pinChanged, user: device.user, device: device.id, by: actor)
            answer(.correct)
        } catch {
            await fault(error)
        }
    }

    private func store(_ credential: HeldSecret, _ pin: HeldSecret, _ deviceSecret: HeldSecret) async {
        guard await agent.mayWrite(for: .device(device.id), user: device.user) else { return answer(.busy) }
        do {
            try await onCredential { (vault) throws(VaultError) in
                try await vault.storeCredential(
                    device: device.id, pin: pin, deviceSecret: deviceSecret, credential: credential)
            }
            await agent.audit(.credentialStored, user: device.user, device: device.id, by: actor)
            answer(.correct)
        } catch {
            await fault(error)
        }
    }

    /// What a try of a PIN came to, when it did not open the credential.
    private func tell(_ outcome: CredentialOutcome) async {
        switch outcome {
        case .opened: answer(.correct)
        case .pinWrong(let left):
            agent.metrics.note(.pinWrong)
            await agent.auditCounted(
                .pinWrong, user: device.user, device: device.id, by: actor,
                detail: Plural.text(left, "try", "tries") + " left")
            answer(.pinWrong, ResultDetail(attemptsLeft: left))
        case .wiped:
            // The vault has written it down with the wipe, once.
            answer(.wiped)
        case .lockedOut(let seconds): answer(.lockedOut, ResultDetail(retryAfterSeconds: seconds))
        case .noCredential: answer(.noCredential)
        case .stale: answer(.credentialStale)
        }
    }

    private var actor: AuditActor { .phone(device.id.bytes) }

    private func session(_ operation: SessionOperation) async {
        answer(await agent.phoneAsks(operation, forSessionsOf: device.id))
    }

    private func setAutoLogout(_ seconds: UInt32) async {
        let code = await agent.setAutoLogout(seconds, for: device)
        await agent.tellState(device.id)
        answer(code)
    }

    private func fault(_ error: VaultError) async {
        agent.log.error("a request of device \(device.id) was not done: \(error)")
        answer(.boxFault)
    }

    private func answer(_ code: ResultCode, _ detail: ResultDetail = ResultDetail()) {
        channel.tell(.result(id, code, detail))
    }
}
