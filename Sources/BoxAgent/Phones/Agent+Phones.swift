import AgentCore
import EventLoop
import PhoneMessages
import Secrets
import Transport
import Vault
import VaultPort

/// The phone side of the agent: links that arrive, channels that authenticate, requests.
extension Agent {
    /// Takes links as long as the radio gives any.
    func acceptPhones() async {
        await radio.observe { [weak self, loop] condition in
            loop.spawn { [weak self] in await self?.radioChanged(condition) }
        }
        advertise()
        while !stopping {
            do {
                arrived(try await radio.accept())
                advertise()
            } catch {
                guard !stopping else { return }
                let fault = RadioFault("the radio takes no more phones: \(error)", cure: "restart boxagentd")
                setRadio(.faulty(fault))
                return log.error("\(fault)")
            }
        }
    }

    /// Advertises as long as another link can be taken.
    func advertise() {
        radioState.isFull = channels.count >= configuration.limits.links
        tellGreeters()
        guard !isSettingAdvertising, advertised != wantedAdvertising else { return }
        isSettingAdvertising = true
        loop.spawn { await self.setAdvertising() }
    }

    private var wantedAdvertising: AdvertisingMode { radioState.isFull ? .off : advertising.mode }

    /// One at a time; nobody waits for a radio, whose bus may hang.
    private func setAdvertising() async {
        while !stopping, advertised != wantedAdvertising {
            let mode = wantedAdvertising
            advertised = mode
            await radio.setAdvertising(mode)
        }
        isSettingAdvertising = false
    }

    private func radioChanged(_ condition: RadioCondition) {
        guard condition != radioState.condition else { return }
        let wasFaulty = radioState.fault != nil
        setRadio(condition)
        tellGreeters()
        switch condition {
        case .faulty(let fault): log.warning("the radio: \(fault)")
        case .working(let detail) where wasFaulty: log.notice("the radio works again \(detail)")
        case .working, .starting: break
        }
    }

    private func setRadio(_ condition: RadioCondition) {
        radioState.condition = condition
        metrics.note(.radio(isWorking: radioState.isWorking))
    }

    /// Somebody is likely to come to the box.
    func expectSomebody() {
        advertising.restart(now: loop.now())
        advertise()
        rearm()
    }

    private func arrived(_ link: any PhoneLink) {
        let id = ChannelID(number: number())
        let channel = PhoneChannel(
            id: id,
            link: MessageLink(
                link: link, clock: LoopClock(loop), executor: loop,
                messageLimit: LinkLimits.unauthenticatedMessageBytes),
            loop: loop, context: ChannelContext(vault: vault, keys: keys))
        channels[id] = channel
        let leaving = admission.arrived(id, over: link.connectionName)
        let peer = LogText.text(Array(link.peerDescription.utf8))
        // A half-open link has nothing to be told: its place is free at once.
        for leaving in leaving { channels.removeValue(forKey: leaving)?.end(.replaced) }
        loop.spawn {
            let reason = await channel.run(for: self)
            await self.left(id, reason, peer: peer)
        }
    }

    private func left(_ id: ChannelID, _ reason: ChannelEnd, peer: String) async {
        metrics.note(.linkEnded(reason))
        if reason.isUnauthenticated {
            failuresUnauthenticated += 1
            // One line for each would let anybody nearby fill the journal; status has the count.
            if failuresUnauthenticated.isPowerOfTwo {
                log.notice(
                    "\(failuresUnauthenticated) unauthenticated failures so far, the last: \(reason), \(peer)",
                    .linkRefused(reason))
            }
        }
        channels[id] = nil
        admission.left(id, failed: reason.isUnauthenticated)
        await forget(id)
        if !stopping { advertise() }
        rearm()
    }

    /// What a channel was part of goes on without it. Done when its link has ended, or sooner, when it was silenced.
    func forget(_ id: ChannelID) async {
        admission.left(id)
        let device = records.removeValue(forKey: id)?.id
        phoneCapabilities[id] = nil
        perform(elevations.handle(.phoneLeft(id), now: loop.now()))
        withdrawTaps(of: id)
        await perform(desk.handle(.channelClosed(id), now: loop.now()))
        if let device, admission.channels(of: device.bytes).isEmpty {
            await perform(logoutSchedule.handle(.disconnected(device), now: loop.now()))
            await phoneWent(device)
        }
    }

    /// A phone that left before a program came took its tap with it; one that has delivered has not.
    private func withdrawTaps(of channel: ChannelID) {
        guard let tap = rendezvous.heldTap(on: channel) else { return }
        perform(rendezvous.handle(.tapWithdrawn(tap), now: loop.now()))
    }

    func endChannels(_ ids: [ChannelID], _ reason: ChannelEnd) {
        for id in ids { channels[id]?.end(reason) }
    }

    /// The first transport message decrypted. False when the device was revoked meanwhile.
    func authenticated(_ channel: PhoneChannel, as peer: AuthenticatedPeer) async -> Bool {
        guard case .device(let record) = peer else {
            admission.enrolling(channel.id)
            return true
        }
        guard !barred.contains(record.id) else { return false }
        records[channel.id] = record
        endChannels(admission.authenticated(channel.id, device: record.id.bytes), .replaced)
        // Whoever was away is back when the signal says so, not when a link comes.
        if !isAway(record.id) { await perform(logoutSchedule.handle(.connected(record.id), now: loop.now())) }
        await phoneCame(record)
        rearm()
        return true
    }

    func handle(_ message: PhoneRequestMessage, from channel: PhoneChannel, _ peer: AuthenticatedPeer) async {
        if case .device(let record) = peer, barred.contains(record.id) { return }
        switch (peer, message.request) {
        case (_, .hello) where phoneCapabilities[channel.id] != nil:
            channel.tell(.result(message.id, .badRequest, ResultDetail()))
        case (let peer, .hello(let versions, let capabilities)):
            phoneCapabilities[channel.id] = capabilities
            greet(message.id, versions, channel)
            if case .device(let record) = peer { greeted(record, capabilities, on: channel) }
        case (.enrolling(let publicKey, let handshakeHash), _):
            await handle(message, enrolling: publicKey, handshakeHash: handshakeHash, on: channel)
        case (.device(let record), .enrolment): repeatEnrolment(of: record, message.id, on: channel)
        case (.device(let record), let request):
            await PhoneRequestHandler(
                agent: self, channel: channel, device: record, id: message.id, askedAt: loop.now()
            ).handle(request)
        }
    }

    private func greet(_ id: RequestID, _ versions: [UInt8], _ channel: PhoneChannel) {
        guard versions.contains(MessageLimits.protocolVersion) else {
            channel.tell(.result(id, .protocolVersion, ResultDetail()))
            return channel.end(.protocolViolation)
        }
        // Elevation also where no service may ask: that can change while the channel is open.
        var capabilities: Capabilities = [.boxHeldCredentials, .logoutWarnings, .elevation, .sessionEnds]
        if configuration.presence.enabled { capabilities.insert(.presence) }
        channel.tell(.hello(id, version: MessageLimits.protocolVersion, capabilities: capabilities))
    }

    /// The phone has said what it understands: it hears what stands, as if it had been here when that began.
    private func greeted(_ record: DeviceRecord, _ capabilities: Capabilities, on channel: PhoneChannel) {
        tellStandingOffer(of: record.id, to: channel)
        tellStandingWarning(of: record.id, to: channel)
        if capabilities.contains(.elevation) { phoneShowsElevations(record.user, on: channel.id) }
    }

    func understands(_ capability: Capabilities, _ channel: ChannelID) -> Bool {
        phoneCapabilities[channel]?.contains(capability) ?? false
    }

    /// Comes back when a ping of so many bytes may be answered.
    func waitForPing(of bytes: Int) async {
        let due = pings.take(bytes, now: loop.now())
        guard due > loop.now() else { return }
        try? await loop.sleep(until: due)
    }

    /// Tells every channel of a device something.
    func tell(_ device: DeviceID, _ message: BoxMessage) {
        for channel in admission.channels(of: device.bytes) { channels[channel]?.tell(message) }
    }
}

extension UInt64 {
    fileprivate var isPowerOfTwo: Bool { nonzeroBitCount == 1 }
}
