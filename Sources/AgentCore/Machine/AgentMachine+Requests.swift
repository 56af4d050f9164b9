import PhoneMessages
import VaultPort

/// Routes each request of a phone to the component that answers it.
extension AgentMachine {
    mutating func route(_ request: DeviceRequest, _ out: inout Output) {
        let device = request.device.id
        guard !devicesOfOthers.contains(device) || request.request.traits.contains(.isOpenToOthers) else {
            return out.answer(request.tap, .notAllowed)
        }
        if request.request.traits.contains(.provesPresence) {
            presences.tapped(device, &out)
            logouts.counted(device, asHere: isHere(device), &out)
        }
        switch request.request {
        case .login, .loginWithPIN, .elevate, .elevateWithPIN, .storeCredential, .changePIN, .siteLogin, .siteElevate,
            .siteAsk:
            useCredential(request, &out)
        case .cancelLogin: cancelLogin(request, &out)
        case .lock: orders.asked(request, .lock, known, none: noSession, &out)
        case .unlock: orders.asked(request, .unlock, known, none: noSession, &out)
        case .logout: orders.asked(request, .logout, known, none: noSession, &out)
        case .status:
            tellState(of: device, on: request.channel, &out)
            out.answer(request.tap, .correct)
        case .setAutoLogout(let seconds): setAutoLogout(request, seconds, &out)
        case .extend:
            tellState(of: device, on: request.channel, &out)
            guard !sessions.sessions(of: device).isEmpty else { return out.answer(request.tap, noSession) }
            logouts.extend(request, &out)
        case .reportSignal(let dBm): presences.reported(device, dBm: dBm, &out)
        case .setThresholds(let thresholds): setThresholds(request, thresholds, &out)
        case .siteNews(let question): tellNews(request, question, &out)
        case .declineElevation(let id): elevations.declined(id, request, &out)
        case .ping, .hello, .enrol, .reveal, .enrolment, .carry: out.answer(request.tap, .badRequest)
        }
    }

    /// The answer to a phone without a known session. It may have one while logind is there and the owners of an
    /// earlier run's sessions are unread.
    private var noSession: ResultCode {
        if case .away = orders.logind { return .noSession }
        return restoring.knowsOwners ? .noSession : .boxFault
    }

    /// Withdraws all logins of the device. The answer is `correct` if no program has its credential.
    private mutating func cancelLogin(_ request: DeviceRequest, _ out: inout Output) {
        let device = request.device.id
        credentials.withdrawLogins(of: device, &out)
        logins.withdraw(of: device, &out)
        out.answer(request.tap, deliveries.isUndecided(of: device) ? .timedOut : .correct)
    }

    private mutating func useCredential(_ request: DeviceRequest, _ out: inout Output) {
        let isSiteHeld = sitePhones.isSiteHeld(request.device.publicKey)
        if let refusal = Credentials.refusal(request, isSiteHeld: isSiteHeld) {
            return out.answer(request.tap, refusal)
        }
        switch request.request {
        // A tap that came too late costs no try.
        case .elevateWithPIN(let id, _, _) where !elevations.isOpen(id, user: request.device.user),
            .siteElevate(let id, _) where !elevations.isOpen(id, user: request.device.user):
            return out.answer(request.tap, .timedOut)
        case .storeCredential, .changePIN:
            guard mayWrite(request, &out) else { return }
        default: break
        }
        credentials.asked(request, &out)
    }

    private mutating func setAutoLogout(_ request: DeviceRequest, _ seconds: UInt32, _ out: inout Output) {
        if let refusal = phones.refusal(ofAutoLogout: seconds, request.device.id, policy) {
            tellState(of: request.device.id, on: request.channel, &out)
            return out.answer(request.tap, refusal)
        }
        guard mayWrite(request, &out) else { return }
        phones.setAutoLogout(request, seconds, &out)
    }

    private mutating func setThresholds(
        _ request: DeviceRequest, _ thresholds: SignalThresholds?, _ out: inout Output
    ) {
        let new = thresholds.map { StoredThresholds(nearDBm: $0.nearDBm, farDBm: $0.farDBm) }
        if let refusal = phones.refusal(ofThresholds: new, request.device.id, policy) {
            return out.answer(request.tap, refusal)
        }
        guard mayWrite(request, &out) else { return }
        phones.setThresholds(request, new, &out)
    }

    /// Returns whether the device may cause one more durable write. If not, the request is answered.
    private mutating func mayWrite(_ request: DeviceRequest, _ out: inout Output) -> Bool {
        if ledger.mayWrite(for: .device(request.device.id), user: request.device.user, &out) { return true }
        out.answer(request.tap, .busy)
        return false
    }
}
