import AgentCore
import Links
import Names
import PhoneCore
import PhoneMessages
import VaultPort

extension WorldLink {
    /// Returns whether something can happen on the link without the passing of time.
    func isBusy(_ now: Duration) -> Bool {
        !toBox.isEmpty || !toPhone.isEmpty || !lookups.isEmpty || (pingDue.map { $0 <= now } ?? false)
    }
}

/// The events on links and at the box's end of them.
extension World {
    var linkIDs: [ChannelID] { links.keys.sorted { $0.number < $1.number } }

    mutating func arrive(_ owner: WorldLink.Owner, _ claimed: DeviceID?, over connection: String) -> ChannelID {
        let id = ChannelID(number: number())
        let end = BoxEnd(keys, binding: WorldLink.binding, limits: WorldLink.limits, now: now.sinceBoot)
        links[id] = WorldLink(end: end, owner: owner, claimed: claimed)
        happen(.event(.phone(id, .arrived(connection: connection))))
        return id
    }

    /// Feeds an event to the box's end of a link.
    mutating func drive(_ id: ChannelID, _ event: BoxEndEvent) {
        guard let end = links[id]?.end else { return }
        for action in end.handle(event, now: now.sinceBoot) {
            switch action {
            case .write(let segment): links[id]?.toPhone.append(segment)
            case .find(let key): links[id]?.lookups.append(.find(key))
            case .read(let key): links[id]?.lookups.append(.read(key))
            case .tell(let event): happen(.told(id, event))
            case .waitForPing(let bytes): links[id]?.pingDue = pings.take(bytes, now: now.sinceBoot)
            case .close(let reason): closed(id, reason)
            }
        }
        let kept = end.kept
        if kept.segments > Judge.segmentLimit || kept.bytes > Judge.keptLimit {
            judge.fail("the box keeps too much of a link")
        }
    }

    private mutating func closed(_ id: ChannelID, _ reason: ChannelEnd) {
        links[id]?.isClosed = true
        links[id]?.toPhone = []
        if case .errand(let phone, let number)? = links[id]?.owner { happen(.phone(phone, .linkDown(number, .closed))) }
        links[id]?.owner = .nobody
        happen(.told(id, .left(reason, peer: "a phone")))
    }

    /// Loses a link, with everything that is in transit.
    mutating func vanish(_ id: ChannelID) {
        links[id]?.owner = .nobody
        links[id]?.toBox = []
        drive(id, .linkDown)
    }

    // MARK: - The air

    /// Performs one random event on a link, if any can happen without the passing of time.
    mutating func carry(_ id: ChannelID) {
        guard let link = links[id] else { return }
        var choices: [Int] = []
        if !link.toBox.isEmpty { choices.append(0) }
        if !link.toPhone.isEmpty { choices.append(1) }
        if !link.lookups.isEmpty { choices.append(2) }
        if let due = link.pingDue, due <= now.sinceBoot { choices.append(3) }
        switch choices.randomElement(using: &random) {
        case 0: toBox(id)
        case 1: toPhone(id)
        case 2: look(id)
        case 3:
            links[id]?.pingDue = nil
            drive(id, .mayPing)
        default: if case .nobody = link.owner { drive(id, .linkDown) }
        }
    }

    /// Delivers a segment. Some arrive twice, after the next one, or not at all.
    private mutating func toBox(_ id: ChannelID) {
        guard var waiting = links[id]?.toBox, !waiting.isEmpty else { return }
        let isDisturbed = !judge.isQuiet && chance(3)
        let index = isDisturbed && waiting.count > 1 ? 1 : 0
        let segment = isDisturbed && chance(30) ? waiting[index] : waiting.remove(at: index)
        links[id]?.toBox = waiting
        let isLost = isDisturbed && chance(10)
        if case .errand(let phone, let number)? = links[id]?.owner { happen(.phone(phone, .written(number))) }
        if !isLost { drive(id, .segment(segment)) }
    }

    private mutating func toPhone(_ id: ChannelID) {
        guard let segment = links[id]?.toPhone.first else { return }
        links[id]?.toPhone.removeFirst()
        switch links[id]?.owner {
        case .errand(let phone, let number)?: happen(.phone(phone, .segment(number, segment)))
        case .intruder(let intruder, _)?: intruder.receive(segment, elapsed)
        default: break
        }
        drive(id, .written)
    }

    /// Answers a channel's lookup in the vault.
    private mutating func look(_ id: ChannelID) {
        guard let lookup = links[id]?.lookups.first else { return }
        links[id]?.lookups.removeFirst()
        guard vault.failure == nil || chance(50) else { return drive(id, .vaultFailed) }
        switch lookup {
        case .find(let key): drive(id, .found(vault.device(key)?.record))
        case .read(let key): drive(id, .read(vault.device(key).flatMap { vault.sheet($0.record.id) }))
        }
    }

    // MARK: - What the agent is told of a link

    /// Notes a channel's event before the agent hears it.
    mutating func note(_ id: ChannelID, _ event: ChannelEvent) {
        switch event {
        case .proved(let sheet): proved(id, sheet)
        case .asked(let message), .askedOfSite(let message, _): asked(id, message)
        default: break
        }
    }

    private mutating func proved(_ id: ChannelID, _ sheet: DeviceSheet) {
        links[id]?.device = sheet.record.id
        judge.sights.note(.phonesProved)
        if links[id]?.claimed != sheet.record.id { judge.fail("a link counts as a phone that is not at its other end") }
    }

    private mutating func asked(_ id: ChannelID, _ message: PhoneRequestMessage) {
        guard let link = links[id] else { return }
        if link.isMuted { judge.fail("a silenced phone's request is looked at") }
        switch message.request {
        case .login(let secret), .elevate(_, let secret):
            if let device = link.device, let user = vault.devices[device]?.record.user {
                judge.came(secret, from: device, user, on: id)
            }
        case .reportSignal: return
        case .lock: noteLock(id, link)
        default: break
        }
        links[id]?.open[message.id] = WorldLink.Request(kind: message.request.kind, step: judge.step)
    }

    // MARK: - What the agent says

    mutating func admitted(_ id: ChannelID) {
        guard let link = links[id] else { return }
        if let device = link.device, judge.barred.contains(device) { judge.fail("a revoked phone is admitted") }
        links[id]?.isAdmitted = true
        drive(id, .admit)
    }

    mutating func told(_ id: ChannelID, _ message: BoxMessage) {
        guard let link = links[id] else { return judge.fail("a phone that left is told \(message)") }
        if link.isFinished { judge.fail("a channel that ended is told \(message)") }
        if link.isMuted { judge.fail("a revoked phone is told \(message)") }
        if !link.isAdmitted { judge.fail("a phone is told \(message) before it is admitted") }
        switch message {
        case .logoutWarning(.some): judge.sights.note(.warnings)
        case .result(let request, let code, _): ended(request, code, on: id, link)
        case .hello(let request, _, _): links[id]?.open[request] = nil
        // The `enrol` stays open: without a `reveal`, the phone is refused under the number of the `enrol`.
        case .enrolNonce: break
        case .enrolled(let request, _), .pong(let request, _): links[id]?.open[request] = nil
        default: break
        }
        drive(id, .say(message))
    }

    private mutating func ended(_ request: RequestID, _ code: ResultCode, on id: ChannelID, _ link: WorldLink) {
        guard let open = links[id]?.open.removeValue(forKey: request) else {
            return judge.fail("request \(request) has a second result, or was never asked: \(code)")
        }
        guard code == .correct, let device = link.device else { return }
        switch open.kind {
        case .lock:
            judge.sights.note(.locksDone)
            isLocked(device, since: open.step)
        case .login:
            if judge.opened[device] ?? -1 < open.step { judge.fail("a login is called correct that opened nothing") }
        case .other: break
        }
    }

    /// Checks that the device's sessions were locked before the phone was told so.
    mutating func isLocked(_ device: DeviceID, since step: Int) {
        for session in logind.sessions.values where session.owner == device && session.claimedAt < step {
            if judge.lockedAt[session.id] ?? -1 < step { judge.fail("a lock is called done before it is") }
        }
    }

    mutating func finished(_ id: ChannelID, _ reason: ChannelEnd, _ lastWords: BoxMessage?) {
        guard let link = links[id] else { return }
        if case .revoked? = lastWords, let device = link.device {
            // A phone destroys its keys on this message, so the revocation must be stored before.
            if vault.devices[device]?.record.state != .revoked {
                judge.fail("a phone is told that it is revoked before that is written down")
            }
        }
        judge.sights.note(.channelsEnded)
        links[id]?.isFinished = true
        links[id]?.open = [:]
        drive(id, .end(reason, lastWords: lastWords, within: LinkLimits.farewell))
    }
}
