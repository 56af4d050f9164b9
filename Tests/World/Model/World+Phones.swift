import AgentCore
import Links
import Names
import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

/// The requests of phones to the world, and the world's answers.
extension World {
    /// Feeds an event to a phone's operation.
    mutating func handle(_ event: PhoneEvent, of phone: Int) {
        guard let errand = phones[phone].errand?.errand else { return }
        for action in errand.handle(event, at: elapsed) { perform(action, phone) }
        if errand.deadline == nil, let left = phones[phone].errand, left.pending.isEmpty {
            judge.fail("an errand waits for nothing")
        }
    }

    private mutating func perform(_ action: PhoneAction, _ phone: Int) {
        switch action {
        case .scan(let number, let time): ask(.scan(number, until: elapsed + time, isHeard: false), phone)
        case .stopScan(let number): drop(phone) { if case .scan(number, _, _) = $0 { true } else { false } }
        case .connect(let number, _):
            phones[phone].errand?.link = (number, nil)
            ask(.connect(number), phone)
        case .identify(let number): ask(.identify(number), phone)
        case .open(let number, _): ask(.open(number), phone)
        case .measure(let number): ask(.measure(number), phone)
        case .vault(let number, let command): ask(.vault(number, command), phone)
        case .askPIN: ask(.pin, phone)
        case .choose(let boxes): ask(.choose(boxes), phone)
        case .askAgain: ask(.again, phone)
        case .write(_, let segment): write(segment, phone)
        case .disconnect: disconnect(phone)
        case .show(.compare(let digits)): phones[phone].digits = digits
        case .watched(.elevation(let prompt)): phones[phone].errand?.elevation = prompt?.id
        case .finished(let end): finished(end, phone)
        case .show, .watched, .roundTrip, .sample: break
        }
    }

    private mutating func ask(_ pending: WorldErrand.Pending, _ phone: Int) {
        phones[phone].errand?.pending.append(pending)
    }

    private mutating func drop(_ phone: Int, _ isDropped: (WorldErrand.Pending) -> Bool) {
        phones[phone].errand?.pending.removeAll(where: isDropped)
    }

    private mutating func write(_ segment: [UInt8], _ phone: Int) {
        guard let channel = phones[phone].errand?.link?.channel else { return }
        links[channel]?.toBox.append(segment)
        if links[channel]?.toBox.count ?? 0 > Judge.segmentLimit {
            judge.fail("a phone gives its radio more than it may")
        }
        if links[channel]?.recorded.count ?? 0 < 8 { links[channel]?.recorded.append(segment) }
    }

    /// Ends a phone's link. Segments that were written before still leave.
    private mutating func disconnect(_ phone: Int) {
        if let channel = phones[phone].errand?.link?.channel { links[channel]?.owner = .nobody }
        phones[phone].errand?.link = nil
        drop(phone) {
            switch $0 {
            case .connect, .identify, .open, .measure: true
            default: false
            }
        }
    }

    /// Loses a phone's link.
    mutating func cut(_ phone: Int) {
        guard let link = phones[phone].errand?.link else { return }
        if let channel = link.channel { vanish(channel) }
        disconnect(phone)
        happen(.phone(phone, .linkDown(link.number, .closed)))
    }

    // MARK: - What the world gives

    /// Performs one random event around a phone's operation. Returns false if only time can help.
    mutating func move(_ phone: Int) -> Bool {
        guard let errand = phones[phone].errand else { return false }
        let channel = errand.link?.channel
        let link = channel.flatMap { links[$0] }
        let open = errand.pending.indices.filter { !errand.pending[$0].waitsForTime }
        let count = open.count + (link.map { $0.isBusy(now.sinceBoot) ? 3 : 0 } ?? 0)
        guard count > 0 else { return false }
        let chosen = Int.random(in: 0..<count, using: &random)
        if chosen < open.count {
            give(open[chosen], phone)
        } else if let channel {
            carry(channel)
        }
        drain()
        return true
    }

    /// Answers one request of the operation.
    mutating func give(_ index: Int, _ phone: Int) {
        guard let pending = phones[phone].errand?.pending.remove(at: index) else { return }
        switch pending {
        case .scan(let number, let until, _):
            ask(.scan(number, until: until, isHeard: true), phone)
            let name = Array(Advertisement.name(boxID: String(decoding: keys.boxID, as: UTF8.self)).utf8)
            happen(.phone(phone, .heard(number, Advertisement(name: name, address: "box", rssi: -50))))
        case .connect(let number):
            guard judge.isQuiet || chance(95) else { return happen(.phone(phone, .linkDown(number, .refused))) }
            happen(.phone(phone, .linked(number)))
        case .identify(let number): happen(.phone(phone, .identity(number, keys.identity)))
        case .open(let number): open(number, phone)
        case .measure(let number):
            // At the end of a run, every phone is at the box.
            let dBm = judge.isQuiet ? -50 : chance(85) ? Int.random(in: -95 ... -45, using: &random) : nil
            happen(.phone(phone, .signal(number, dBm: dBm)))
        case .vault(let number, let command): happen(.phone(phone, .vault(number, answer(command, phone))))
        case .pin:
            let isRight = judge.isQuiet || chance(phones[phone].isHostile ? 40 : 85)
            let isGiven = judge.isQuiet || chance(95)
            happen(.phone(phone, .pin(isGiven ? secret(isRight ? phones[phone].pin : "0000") : nil)))
        case .choose(let boxes): happen(.phone(phone, .chosen(boxes.first?.id)))
        case .again: happen(.phone(phone, .again(judge.isQuiet || chance(70))))
        }
    }

    private mutating func answer(_ command: PhoneVaultCommand, _ phone: Int) -> PhoneVaultAnswer {
        if !judge.isQuiet, chance(1) { return .failed(.diskFull) }
        let opened = password(of: phone)
        defer { if case .forget = command { phones[phone].hasNothingStored = true } }
        return phones[phone].vault.answer(command, pin: phones[phone].pin, password: { opened }, &random)
    }

    /// Returns a password of the user's session, each time another, so the judge can check its origin and count its
    /// uses.
    mutating func password(of phone: Int, as earlier: DeviceID? = nil, isStored: Bool = false) -> HeldSecret {
        let text = "password \(number()) of \(phones[phone].user)"
        if let device = earlier ?? phones[phone].device, let user = vault.devices[device]?.record.user {
            judge.sent[Array(text.utf8)] = Judge.Sent(device: device, user: user, isStored: isStored)
        }
        return secret(text)
    }

    /// Opens the box's end of the link.
    private mutating func open(_ number: OperationNumber, _ phone: Int) {
        guard phones[phone].errand?.link?.number == number else { return }
        let id = arrive(.errand(phone: phone, number), phones[phone].device, over: "phone \(phone)")
        phones[phone].errand?.link = (number, id)
        let carrier = Carrier(name: "air", binding: WorldLink.binding, limits: WorldLink.limits, carries: .little)
        happen(.phone(phone, .opened(number, carrier)))
    }

    // MARK: - What comes of an errand

    private mutating func finished(_ end: ErrandEnd, _ phone: Int) {
        guard let errand = phones[phone].errand else { return }
        disconnect(phone)
        phones[phone].errand = nil
        phones[phone].digits = nil
        judge.sights.note(.errandsEnded)
        switch end {
        case .loggedIn(.answered(let outcome)): answered(outcome, errand, phone)
        case .answered(let answer): answered(answer.outcome, errand, phone)
        case .enrolled: judge.sights.note(.devicesEnrolled)
        case .failed(.nonsense): judge.fail("an honest phone is told what makes no sense")
        case .failed(.pingDiffers): judge.fail("a ping comes back with other bytes")
        case .failed(.revoked): judge.sights.note(.phonesToldRevoked)
        // A refused phone may ask for a new code.
        case .failed(.notAccepted): if chance(50) { phones[phone].vault.row = nil }
        case .failed(.noDeviceSecret): phones[phone].hasNothingStored = true
        default: break
        }
    }

    private mutating func answered(_ outcome: RequestOutcome, _ errand: WorldErrand, _ phone: Int) {
        guard let device = phones[phone].device else { return }
        switch (outcome, errand.purpose) {
        case (.done, .login):
            judge.sights.note(.loginsCorrect)
            if judge.opened[device] ?? -1 < errand.step { judge.fail("a phone is told of a login that opened nothing") }
        case (.done, .lock): isLocked(device, since: errand.step)
        case (.refused(.noCredential, _), _), (.refused(.wiped, _), _), (.refused(.credentialStale, _), _):
            phones[phone].hasNothingStored = true
        default: break
        }
    }
}
