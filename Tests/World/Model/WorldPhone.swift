import AgentCore
import Names
import PhoneMessages
import Secrets
import VaultPort

/// A phone and the person who carries it.
struct WorldPhone {
    let record: DeviceRecord
    /// It acknowledges nothing, replays, floods and tries PINs.
    let isHostile: Bool

    var id: DeviceID { record.id }
    var pin: String { "4711\(record.publicKey[0])" }
    var password: String { "password of \(String(decoding: record.user, as: UTF8.self))" }

    static let users = ["alice", "bob", "carol"]

    init(number: UInt8, isHostile: Bool) {
        let key = [UInt8](repeating: number, count: 32)
        record = DeviceRecord(
            id: DeviceID(known: Array(key.prefix(DeviceID.byteCount))), publicKey: key,
            user: Array(Self.users[Int(number) % Self.users.count].utf8), label: [],
            mode: number % 2 == 0 ? .boxHeld : .phoneHeld, state: .active, enrolledAt: 0, lastUsedAt: nil)
        self.isHostile = isHostile
    }
}

/// One link, as the phone's end knows it.
struct WorldChannel {
    enum Stage { case arrived, proved, admitted }

    /// Where in `World.phones` its phone is; nil: it enrols, or is nobody.
    let phone: Int?
    var stage = Stage.arrived
    var isGreeted = false
    var isMuted = false
    var isFinished = false
    var hasCode = false
    /// Requests without their result, with the step in which they were sent.
    var open: [RequestID: (isLock: Bool, step: Int)] = [:]
    var lastRequest: UInt32 = 0
    var elevation: ElevationID?
}

extension World {
    // MARK: - What a phone does

    mutating func phoneStep() {
        let id = channels.keys.filter { channels[$0]?.isFinished == false }
            .sorted { $0.number < $1.number }.randomElement(using: &random)
        guard let id, let channel = channels[id], !chance(15) else { return arrive() }
        switch channel.stage {
        case .arrived: prove(id, channel)
        case .proved: break
        case .admitted where !channel.isGreeted: greet(id)
        case .admitted:
            if chance(6) { return leave(id) }
            ask(id, channel)
        }
    }

    private mutating func arrive() {
        guard channels.count < 12 else { return }
        let id = ChannelID(number: number())
        let phone = chance(95) ? Int.random(in: 0..<phones.count, using: &random) : nil
        channels[id] = WorldChannel(phone: phone)
        feed(.phone(id, .arrived(connection: "link \(phone ?? 99)")))
    }

    private mutating func prove(_ id: ChannelID, _ channel: WorldChannel) {
        if chance(8) { return leave(id) }
        guard let phone = channel.phone, let sheet = vault.sheet(phones[phone].id), sheet.record.state == .active else {
            return leave(id)
        }
        channels[id]?.stage = .proved
        feed(.phone(id, .proved(sheet)))
    }

    private mutating func greet(_ id: ChannelID) {
        channels[id]?.isGreeted = true
        let capabilities: Capabilities = [.presence, .logoutWarnings, .elevation, .sessionEnds]
        send(.hello(versions: [MessageLimits.protocolVersion], capabilities: capabilities), on: id)
    }

    mutating func leave(_ id: ChannelID) {
        channels[id] = nil
        feed(.phone(id, .left(.linkClosed, peer: "a phone")))
    }

    private mutating func ask(_ id: ChannelID, _ channel: WorldChannel) {
        guard let index = channel.phone else { return }
        let phone = phones[index]
        // A phone waits for its answers, and a hostile one does not.
        guard phone.isHostile || channel.open.count < 2 else { return }
        if channel.elevation != nil, chance(50) { return answerElevation(phone, channel, on: id) }
        if logind.sessions.values.contains(where: { $0.owner == phone.id }), chance(35) {
            return send([PhoneRequest.lock, .unlock, .logout, .extend].randomElement(using: &random) ?? .lock, on: id)
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0...3: logIn(phone, on: id)
        case 4: store(phone, on: id)
        case 5: send(.cancelLogin, on: id)
        case 6: send(.lock, on: id)
        case 7: send(.unlock, on: id)
        case 8: send(.logout, on: id)
        case 9: send(.status, on: id)
        case 10: send(.setAutoLogout(seconds: UInt32.random(in: 0...1_200, using: &random)), on: id)
        case 11, 12: send(.reportSignal(dBm: chance(80) ? Int.random(in: -95 ... -45, using: &random) : nil), on: id)
        case 13: send(.extend, on: id)
        case 14: send(.setThresholds(chance(50) ? nil : SignalThresholds(nearDBm: -55, farDBm: -75)), on: id)
        default: answerElevation(phone, channel, on: id)
        }
    }

    private mutating func logIn(_ phone: WorldPhone, on id: ChannelID) {
        if phone.record.mode == .phoneHeld {
            let credential = secret(phone.password)
            judge.came(credential, from: phone.id, phone.record.user, on: id)
            send(.login(credential), on: id)
        } else {
            let pin = chance(phone.isHostile ? 30 : 85) ? phone.pin : "0000"
            send(.loginWithPIN(pin: secret(pin), deviceSecret: secret("half")), on: id)
        }
    }

    private mutating func store(_ phone: WorldPhone, on id: ChannelID) {
        if chance(50) {
            send(
                .storeCredential(
                    pin: secret(phone.pin), deviceSecret: secret("half"), credential: secret(phone.password)), on: id)
        } else {
            send(.changePIN(old: secret(phone.pin), new: secret(phone.pin), deviceSecret: secret("half")), on: id)
        }
    }

    private mutating func answerElevation(_ phone: WorldPhone, _ channel: WorldChannel, on id: ChannelID) {
        guard let elevation = channel.elevation else { return }
        channels[id]?.elevation = nil
        guard chance(70), phone.record.mode == .phoneHeld else { return send(.declineElevation(elevation), on: id) }
        let credential = secret(phone.password)
        judge.came(credential, from: phone.id, phone.record.user, on: id)
        send(.elevate(elevation, credential), on: id)
    }

    mutating func send(_ request: PhoneRequest, on id: ChannelID) {
        guard var channel = channels[id], !channel.isFinished else { return }
        channel.lastRequest += 1
        guard let number = RequestID(rawValue: channel.lastRequest) else { return }
        if case .reportSignal = request {
        } else if !channel.isMuted {
            var isLock = false
            if case .lock = request { isLock = true }
            channel.open[number] = (isLock, judge.step)
        }
        channels[id] = channel
        feed(.phone(id, .asked(PhoneRequestMessage(id: number, request: request))))
    }

    // MARK: - What a phone hears

    mutating func admitted(_ id: ChannelID) {
        guard let channel = channels[id] else { return }
        if let phone = channel.phone, judge.barred.contains(phones[phone].id) {
            judge.fail("a revoked phone is admitted")
        }
        channels[id]?.stage = .admitted
    }

    mutating func told(_ id: ChannelID, _ message: BoxMessage) {
        guard let channel = channels[id] else { return judge.fail("a phone that left is told \(message)") }
        if channel.isFinished { judge.fail("a channel that ended is told \(message)") }
        if channel.isMuted { judge.fail("a revoked phone is told \(message)") }
        if channel.stage != .admitted { judge.fail("a phone is told \(message) before it is admitted") }
        switch message {
        case .elevation(let prompt): channels[id]?.elevation = prompt.id
        case .logoutWarning(.some): judge.sights.note(.warnings)
        case .result(let request, let code, _): ended(request, code, on: id, channel)
        case .hello(let request, _, _): channels[id]?.open[request] = nil
        case .enrolNonce(let request, _), .enrolled(let request, _): channels[id]?.open[request] = nil
        default: break
        }
    }

    private mutating func ended(_ request: RequestID, _ code: ResultCode, on id: ChannelID, _ channel: WorldChannel) {
        guard let open = channels[id]?.open.removeValue(forKey: request) else {
            return judge.fail("request \(request) has a second result, or was never asked: \(code)")
        }
        guard open.isLock, code == .correct, let phone = channel.phone else { return }
        judge.sights.note(.locksDone)
        // Locked before told.
        for session in logind.sessions.values where session.owner == phones[phone].id && session.claimedAt < open.step {
            if judge.lockedAt[session.id] ?? -1 < open.step { judge.fail("a lock is called done before it is") }
        }
    }

    mutating func finished(_ id: ChannelID, _ lastWords: BoxMessage?) {
        guard let channel = channels[id] else { return }
        if case .revoked? = lastWords, let phone = channel.phone {
            // A phone destroys its keys on this word.
            if vault.devices[phones[phone].id]?.record.state != .revoked {
                judge.fail("a phone is told that it is revoked before that is written down")
            }
        }
        judge.sights.note(.channelsEnded)
        channels[id]?.isFinished = true
        channels[id]?.open = [:]
    }
}
