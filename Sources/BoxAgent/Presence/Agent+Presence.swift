import AgentConfiguration
import AgentCore
import AgentProtocol
import PhoneMessages
import Sessions
import Vault
import VaultPort

/// Presence in the agent: feeds the machine of each phone, locks when it says away, and makes offers when it says near.
extension Agent {
    // MARK: - What happens

    func phoneCame(_ record: DeviceRecord) async {
        await followPresence(of: record.id, user: record.user)
        await handle(.linkUp, of: record.id)
    }

    /// Its last channel has gone.
    func phoneWent(_ device: DeviceID) async {
        await handle(.linkDown, of: device)
        await forgetPresence(of: device)
    }

    /// Follows a phone from now on; one that is not here, too, once it owns a session. What the vault cannot say is taken
    /// for what locks sooner: the administrator's thresholds, and a phone that has to come back.
    func followPresence(of device: DeviceID, user: [UInt8]) async {
        guard configuration.presence.enabled, presence.phones[device] == nil else { return }
        let thresholds = await ownThresholds(of: device)
        // A session outlived an earlier agent, and its phone was watched.
        let hasReported = await read("whether a phone is watched", unknown: true) { vault throws(VaultError) in
            try await vault.isPresenceWatched(device: device)
        }
        // The vault was waited for.
        guard presence.phones[device] == nil else { return }
        presence.phones[device] = TrackedPhone(
            device: device, user: user,
            machine: Presence(
                thresholds: thresholds ?? configuration.presence.thresholds, policy: configuration.presence.policy,
                hasReported: hasReported, now: loop.now()),
            isCalibrated: thresholds != nil)
    }

    /// A phone that is gone and owns nothing is not kept.
    func forgetPresence(of device: DeviceID) async {
        guard admission.channels(of: device.bytes).isEmpty, !sessions.values.contains(where: { $0.device == device }),
            let phone = presence.phones.removeValue(forKey: device), phone.machine.hasReported
        else { return }
        await keepWatched(false, phone)
    }

    /// Writes down whether a phone's absence counts. Over the budget a row stays that should go: it counts, which is the
    /// safe side, and to write it once more changes nothing.
    private func keepWatched(_ isWatched: Bool, _ phone: TrackedPhone) async {
        if !isWatched, await !mayWrite(for: .device(phone.device), user: phone.user) { return }
        await store("whether a phone is watched") { vault throws(VaultError) in
            try await vault.setPresenceWatched(isWatched, device: phone.device)
        }
    }

    /// Nil where the phone has measured none, or may not.
    private func ownThresholds(of device: DeviceID) async -> PresenceThresholds? {
        let stored = await read("a phone's thresholds", unknown: nil) { vault throws(VaultError) in
            try await vault.presenceThresholds(device: device)
        }
        guard configuration.presence.mayCalibrate else { return nil }
        return stored.flatMap { PresenceThresholds(nearDBm: $0.nearDBm, farDBm: $0.farDBm) }
    }

    func handle(_ event: Presence.Event, of device: DeviceID) async {
        guard let before = presence.phones[device]?.machine else { return }
        let actions = presence.phones[device]?.machine.handle(event, now: loop.now()) ?? []
        if let isWatched = presence.phones[device]?.machine.hasReported, isWatched != before.hasReported {
            if let phone = presence.phones[device] { await keepWatched(isWatched, phone) }
        }
        if actions.isEmpty, before.state.isAway, !isAway(device) {
            // A tap: somebody is here.
            await holdLogout(device, false)
        }
        for action in actions { await perform(action, of: device) }
        rearm()
    }

    func presenceTimer() async {
        let now = loop.now()
        let due = presence.phones.filter { ($0.value.machine.deadline ?? .seconds(Int64.max)) <= now }.keys
        for device in due { await handle(.timer, of: device) }
    }

    /// New thresholds, times, or none of it.
    func presenceReloaded() async {
        guard configuration.presence.enabled else {
            let away = presence.phones.keys.filter { isAway($0) }
            presence.phones = [:]
            for device in away { await holdLogout(device, false) }
            return
        }
        for device in Array(presence.phones.keys) { await reload(device) }
        for record in Array(records.values) where presence.phones[record.id] == nil { await phoneCame(record) }
    }

    private func reload(_ device: DeviceID) async {
        await handle(.policySet(configuration.presence.policy), of: device)
        let thresholds = await ownThresholds(of: device)
        presence.phones[device]?.isCalibrated = thresholds != nil
        await handle(.thresholdsSet(thresholds ?? configuration.presence.thresholds), of: device)
    }

    func setThresholds(_ thresholds: SignalThresholds?, for device: DeviceID) async -> ResultCode {
        guard !barred.contains(device) else { return .revoked }
        guard configuration.presence.enabled, configuration.presence.mayCalibrate else { return .notAllowed }
        let stored = thresholds.map { StoredThresholds(nearDBm: $0.nearDBm, farDBm: $0.farDBm) }
        do {
            guard try await vault.presenceThresholds(device: device) != stored else { return .correct }
            let user = presence.phones[device]?.user ?? []
            guard await mayWrite(for: .device(device), user: user) else { return .busy }
            // Revoked while the vault was waited for.
            guard !barred.contains(device) else { return .revoked }
            try await vault.setPresenceThresholds(stored, device: device)
        } catch {
            log.error("thresholds of device \(device) were not stored: \(error)")
            return .boxFault
        }
        await reload(device)
        return .correct
    }

    // MARK: - What follows

    func isAway(_ device: DeviceID) -> Bool { presence.phones[device]?.machine.state.isAway ?? false }

    private func perform(_ action: Presence.Action, of device: DeviceID) async {
        switch action {
        case .away:
            if sessions.values.contains(where: { $0.device == device && !$0.locked }) {
                let why = presence.phones[device]?.machine.explanation(now: loop.now()).why ?? ""
                log.notice("device \(device) is away: locking its sessions; \(why)")
                // A locker may take ten seconds; neither the timers nor this phone's reports wait for it.
                loop.spawn { await self.lockAbsent(device) }
            }
            await holdLogout(device, true)
        case .back:
            log.info("device \(device) is back")
            await holdLogout(device, false)
        case .offer, .withdrawOffer:
            refreshOffer(device)
        }
    }

    private func lockAbsent(_ device: DeviceID) async {
        let code = await perform(.lock, forSessionsOf: device, by: .agent)
        guard code != .correct, code != .noSession else { return }
        let policy = configuration.presence.onLockFailure
        log.warning("a session of device \(device) did not lock when its phone went; policy: \(policy.rawValue)")
        guard policy == .terminate else { return }
        _ = await perform(.logout, forSessionsOf: device, by: .agent, end: .notLocked)
    }

    /// The time to the automatic logout runs while the phone is away, also if its link still stands.
    private func holdLogout(_ device: DeviceID, _ isAway: Bool) async {
        guard !admission.channels(of: device.bytes).isEmpty else { return }
        await perform(logoutSchedule.handle(isAway ? .disconnected(device) : .connected(device), now: loop.now()))
        await tellState(device)
    }

    /// What a near phone may offer follows its sessions; told when it changes.
    func refreshOffer(_ device: DeviceID) {
        guard let phone = presence.phones[device] else { return }
        let own = sessions.values.filter { $0.device == device }
        let offer: Offer =
            phone.machine.state != .near ? .none : own.isEmpty ? .logIn : own.allSatisfy(\.locked) ? .unlock : .none
        guard offer != phone.offer else { return }
        presence.phones[device]?.offer = offer
        for channel in admission.channels(of: device.bytes) where understands(.presence, channel) {
            channels[channel]?.tell(.offer(offer))
        }
    }

    /// What a phone that has just come would have been told before.
    func tellStandingOffer(of device: DeviceID, to channel: PhoneChannel) {
        guard understands(.presence, channel.id), let offer = presence.phones[device]?.offer, offer != .none else {
            return
        }
        channel.tell(.offer(offer))
    }

    // MARK: - Explaining

    /// Root sees all phones, others those of their own user.
    func presenceListing(for caller: Caller) async -> [ControlReply] {
        let own = caller.isAdministrator ? nil : await accounts.name(of: caller.uid)
        return presence.phones.values
            .filter { caller.isAdministrator || $0.user == own }
            .sorted { $0.device.description < $1.device.description }
            .map { .presence(PresenceListing($0, now: loop.now())) }
    }
}

extension PresenceListing {
    fileprivate init(_ phone: TrackedPhone, now: Duration) {
        let said = phone.machine.explanation(now: now)
        self.init(device: Array("\(phone.device)".utf8), user: phone.user)
        state = Array(said.state.utf8)
        connected = said.isLinked
        link = Array(said.link.utf8)
        minusTenthsDBm = said.smoothedTenthsDBm.map { UInt64(clamping: -$0) }
        samples = UInt64(clamping: said.samples)
        minusNearDBm = UInt64(clamping: -said.nearDBm)
        minusFarDBm = UInt64(clamping: -said.farDBm)
        calibrated = phone.isCalibrated
        why = Array(said.why.utf8)
        next = Array((said.next ?? "").utf8)
        nextMilliseconds = said.nextMilliseconds.map { UInt64(clamping: $0) }
    }
}
