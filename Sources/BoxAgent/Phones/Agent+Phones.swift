import EventLoop
import PhoneMessages
import Secrets
import Transport
import Vault

/// The phone side of the agent: links that arrive, channels that authenticate, requests.
extension Agent {
    /// Takes links as long as the radio gives any.
    func acceptPhones() async {
        await radio.observe { [weak self, loop] condition in
            loop.spawn { [weak self] in await self?.radioChanged(condition) }
        }
        await advertise()
        while !stopping {
            do {
                arrived(try await radio.accept())
                await advertise()
            } catch {
                guard !stopping else { return }
                let fault = RadioFault("the radio takes no more phones: \(error)", cure: "restart boxagentd")
                radioState.condition = .faulty(fault)
                return log.error("\(fault)")
            }
        }
    }

    /// Advertises as long as another link can be taken.
    func advertise() async {
        radioState.isFull = channels.count >= configuration.limits.links
        tellGreeters()
        let wanted: AdvertisingMode = radioState.isFull ? .off : advertising.mode
        guard wanted != advertised else { return }
        advertised = wanted
        await radio.setAdvertising(wanted)
    }

    private func radioChanged(_ condition: RadioCondition) {
        guard condition != radioState.condition else { return }
        let wasFaulty = radioState.fault != nil
        radioState.condition = condition
        tellGreeters()
        switch condition {
        case .faulty(let fault): log.warning("the radio: \(fault)")
        case .working(let detail) where wasFaulty: log.notice("the radio works again \(detail)")
        case .working, .starting: break
        }
    }

    /// Somebody is likely to come to the box.
    func expectSomebody() async {
        advertising.restart(now: loop.now())
        await advertise()
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
        let peer = Printable.text(Array(link.peerDescription.utf8))
        loop.spawn {
            await self.closeChannels(leaving, .replaced)
            let reason = await channel.run(for: self)
            await self.left(id, reason, peer: peer)
        }
    }

    private func left(_ id: ChannelID, _ reason: ChannelEnd, peer: String) async {
        if reason.isUnauthenticated {
            failuresUnauthenticated += 1
            // One line for each would let anybody nearby fill the journal; status has the count.
            if failuresUnauthenticated.isPowerOfTwo {
                log.notice("\(failuresUnauthenticated) unauthenticated failures so far, the last: \(reason), \(peer)")
            }
        }
        channels[id] = nil
        admission.left(id)
        let device = records.removeValue(forKey: id)?.id
        await perform(desk.handle(.channelClosed(id), now: loop.now()))
        if let device, admission.channels(of: device.bytes).isEmpty {
            await perform(logoutSchedule.handle(.disconnected(device), now: loop.now()))
            await phoneWent(device)
        }
        phoneCapabilities[id] = nil
        await perform(elevations.handle(.phoneLeft(id), now: loop.now()))
        await withdrawTaps(of: id)
        if !stopping { await advertise() }
        rearm()
    }

    /// A phone that left before a program came took its tap with it; one that has delivered has not.
    private func withdrawTaps(of channel: ChannelID) async {
        guard let tap = rendezvous.heldTap, tap.channel == channel else { return }
        await perform(rendezvous.handle(.tapWithdrawn(tap), now: loop.now()))
    }

    func closeChannels(_ ids: [ChannelID], _ reason: ChannelEnd) async {
        for id in ids {
            await channels[id]?.close(reason)
        }
    }

    /// The first transport message decrypted.
    func authenticated(_ channel: PhoneChannel, as peer: AuthenticatedPeer) async {
        guard case .device(let record) = peer else { return }
        records[channel.id] = record
        let leaving = admission.authenticated(channel.id, device: record.id.bytes)
        await closeChannels(leaving, .replaced)
        // Whoever was away is back when the signal says so, not when a link comes.
        if !isAway(record.id) { await perform(logoutSchedule.handle(.connected(record.id), now: loop.now())) }
        await phoneCame(record)
        rearm()
    }

    func handle(_ message: PhoneRequestMessage, from channel: PhoneChannel, _ peer: AuthenticatedPeer) async {
        switch (peer, message.request) {
        case (let peer, .hello(let versions, let capabilities)):
            await greet(message.id, versions, channel)
            if case .device(let record) = peer { await greeted(record, capabilities, on: channel) }
        case (.enrolling(let publicKey, let digits), .enrol(let request)):
            let contact = EnrolmentContact(
                channel: channel.id, request: message.id, publicKey: publicKey, digits: digits,
                phoneName: request.label)
            await perform(desk.handle(.contact(contact), now: loop.now()))
            rearm()
        case (.device(let record), .enrol):
            // Its enrolment was confirmed, but the answer did not reach it.
            let mode: PhoneMessages.CredentialMode = record.mode == .boxHeld ? .boxHeld : .phoneHeld
            await channel.send(
                .enrolled(
                    message.id,
                    EnrolResult(
                        deviceID: record.id.bytes, user: record.user, credentialMode: mode, boxID: keys.boxID)))
        case (.enrolling, _):
            await channel.send(.result(message.id, .badRequest, ResultDetail()))
        case (.device(let record), let request):
            await PhoneRequestHandler(agent: self, channel: channel, device: record, id: message.id).handle(request)
        }
    }

    private func greet(_ id: RequestID, _ versions: [UInt8], _ channel: PhoneChannel) async {
        guard versions.contains(MessageLimits.protocolVersion) else {
            await channel.send(.result(id, .protocolVersion, ResultDetail()))
            return await channel.close(.protocolViolation)
        }
        // Elevation also where no service may ask: that can change while the channel is open.
        var capabilities: Capabilities = [.boxHeldCredentials, .logoutWarnings, .elevation]
        if configuration.presence.enabled { capabilities.insert(.presence) }
        await channel.send(.hello(id, version: MessageLimits.protocolVersion, capabilities: capabilities))
    }

    /// The phone has said what it understands: it hears what stands, as if it had been here when that began.
    private func greeted(_ record: DeviceRecord, _ capabilities: Capabilities, on channel: PhoneChannel) async {
        phoneCapabilities[channel.id] = capabilities
        await tellStandingOffer(of: record.id, to: channel)
        await tellStandingWarning(of: record.id, to: channel)
        if capabilities.contains(.elevation) { await phoneShowsElevations(record.user, on: channel.id) }
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
    func tell(_ device: DeviceID, _ message: BoxMessage) async {
        for channel in admission.channels(of: device.bytes) {
            await channels[channel]?.send(message)
        }
    }
}

extension UInt64 {
    fileprivate var isPowerOfTwo: Bool { nonzeroBitCount == 1 }
}
