import AgentConfiguration
import AgentCore
import Names
import PhoneCore
import PhoneMessages
import Secrets
import SecureChannel
import TestSupport
import VaultModel
import VaultPort

/// A box and its surroundings, in one process and in virtual time. Phones, programs, sessions, administrators, clocks
/// and crashes surround the machine that decides. Phones run PhoneCore's `Errand`. Intruders use the same channel but
/// follow no rule. The box's ends of links are AgentCore's.
///
/// Each step of a seed has its own random numbers. A trace can thus be shortened without effect on the other steps.
public struct World {
    public let seed: UInt64
    var random: SeededGenerator
    var now = Moment(sinceBoot: .seconds(1_000), secondOfDay: 43_200)
    var machine: AgentMachine
    var vault = ModelVault()
    var logind = ModelLogind()
    var phones: [WorldPhone] = []
    /// The phones' time, which continues over a reboot of the box.
    var elapsed = Duration.seconds(5_000)
    let keys: BoxKeys
    var links: [ChannelID: WorldLink] = [:]
    var pings = PingAllowance()
    /// The events that come next, before anything else acts.
    private var happenings: [Happening] = []
    private var isHandling = false
    var programs: [ProgramID: WorldProgram] = [:]
    var commands: [ControlID: WorldCommand] = [:]
    /// The latest enrolment codes.
    var codes: [WorldCommand.Code] = []
    var work = RunningOperations()
    var judge = Judge()
    var numbers: UInt64 = 0
    /// The trace of a failing run, or nil if no trace is wanted.
    var trace: [String]?

    /// The first broken invariant, or nil.
    public var violation: String? { judge.violation }
    public var lines: [String] { trace ?? [] }
    public var effects: Int { judge.effects }
    public var sights: Sights { judge.sights }
    /// The number of steps until a violation, or of all steps.
    public var stepsTaken: Int { judge.step + 1 }

    public init(seed: UInt64, isTraced: Bool = false) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        keys = Self.keys(&random)
        trace = isTraced ? [] : nil
        let configuration = Self.configuration(&random)
        machine = AgentMachine(Policy(configuration, boxID: Array("1128".utf8)), now: now)
        vault.policy = configuration.pin.attemptPolicy
        for number in 1...8 {
            phones.append(WorldPhone(number: number, isHostile: number == 5 || number == 6, isWeb: number % 3 == 1))
        }
        // Two of the phones are not enrolled yet.
        for phone in 0..<6 { enrolBefore(phone, phone % 2 == 0 ? .boxHeld : .phoneHeld) }
        feed(.started)
        feed(.logind(.available))
    }

    private static func configuration(_ random: inout SeededGenerator) -> Configuration {
        var configuration = Configuration()
        configuration.pin.attempts = Int.random(in: 3...10, using: &random)
        configuration.elevation.services = ["sudo"]
        configuration.autoLogout.mayBeOff = false
        configuration.autoLogout.defaultSeconds = 600
        configuration.autoLogout.maximumSeconds = 900
        configuration.autoLogout.longestSeconds = Bool.random(using: &random) ? 3_600 : 0
        configuration.autoLogout.idleSeconds = Bool.random(using: &random) ? 1_200 : 0
        configuration.presence.onLockFailure = Bool.random(using: &random) ? .terminate : .report
        return configuration
    }

    /// Returns the box's and its authority's keys, which are the same in every run of a seed.
    private static func keys(_ random: inout SeededGenerator) -> BoxKeys {
        do {
            let key = try X25519KeyPair(privateKey: SecretBytes(copying: ModelPhoneVault.bytes(32, &random)))
            let authority = try Ed25519KeyPair(seed: SecretBytes(copying: ModelPhoneVault.bytes(32, &random)))
            return try BoxKeys(staticKey: key, authority: authority, boxID: Array("1128".utf8), serial: 1)
        } catch {
            preconditionFailure("32 bytes are a key: \(error)")
        }
    }

    /// Enrols a phone before the run begins.
    mutating func enrolBefore(_ phone: Int, _ mode: CredentialMode) {
        let user = Array(phones[phone].user.utf8)
        let new = NewBox(
            boxID: keys.boxID, boxKey: keys.publicKey, authorityKey: keys.authorityPublicKey, serial: keys.serial,
            user: user, label: [])
        phones[phone].vault.begin(new, mode: mode, confirmed: true, &random)
        guard let row = phones[phone].vault.row, let device = phones[phone].device else { return }
        vault.add(
            DeviceRecord(
                id: device, publicKey: row.publicKey, user: user, label: [], mode: mode, isWeb: phones[phone].isWeb,
                state: .active, enrolledAt: 0,
                lastUsedAt: nil))
    }

    // MARK: - Events in, effects out

    /// Queues an event after those that are already queued.
    mutating func happen(_ happening: Happening) {
        happenings.append(happening)
    }

    mutating func feed(_ event: Event) {
        happen(.event(event))
        drain()
    }

    /// Processes all queued events, in order.
    mutating func drain() {
        guard !isHandling else { return }
        isHandling = true
        while !happenings.isEmpty, violation == nil {
            switch happenings.removeFirst() {
            case .event(let event): handle(event)
            case .told(let id, let event):
                note(id, event)
                handle(.phone(id, event))
                noteSign(id, event)
                if case .left = event { links[id] = nil } else { drive(id, .heard) }
            case .phone(let phone, let event): handle(event, of: phone)
            }
        }
        happenings = []
        isHandling = false
        noteAbsences()
        timersFire()
    }

    private mutating func handle(_ event: Event) {
        if trace != nil { trace?.append("\(now.sinceBoot.components.seconds) s  \(Self.text(event))") }
        let effects = machine.handle(event, at: now)
        judge.effects += effects.count
        if let device = deaf(event), !effects.isEmpty { judge.fail("a request of the revoked \(device) has effects") }
        for effect in effects {
            if trace != nil { trace?.append("        → \(Self.text(effect))") }
            if let answer = perform(effect) { happenings.insert(.event(answer), at: 0) }
        }
    }

    /// Returns the revoked device that sent this request, which must have no effect.
    private func deaf(_ event: Event) -> DeviceID? {
        guard case .phone(let id, .asked) = event, let device = links[id]?.device, judge.barred.contains(device) else {
            return nil
        }
        return device
    }

    /// Fires due timers. A deadline must move when its timer fires, or the agent's loop would never sleep.
    private mutating func timersFire() {
        guard violation == nil, let deadline = machine.deadline, deadline <= now.sinceBoot else { return }
        judge.overdue += 1
        if judge.overdue > 3 {
            return judge.fail("a deadline of \(deadline) is left at \(now.sinceBoot): the loop would not sleep")
        }
        feed(.timeHasCome)
        judge.overdue = 0
    }

    /// Applies an effect to the world. Returns the answer if the effect has an immediate one.
    private mutating func perform(_ effect: Effect) -> Event? {
        switch effect {
        case .mute(let id):
            links[id]?.isMuted = true
            drive(id, .mute)
        case .admit(let id): admitted(id)
        case .tellPhone(let id, let message): told(id, message)
        case .finish(let id, let reason, let lastWords): finished(id, reason, lastWords)
        case .giveCode(let id, let secret): drive(id, .give(secret))
        case .showDocument(let id, let document): drive(id, .show(document))
        case .vault(let id, let command):
            work.vault.append((id, command))
            enrols(command)
            if work.hashesOfOneDevice > 1 { judge.fail("the vault has two hashes of one device to make") }
        case .act(let id, let operation, let target): ordered(id, operation, target)
        case .lookUp(let id, .seats(let askers)):
            return .answered(id, .seats(programs.facts(of: askers.keys)))
        case .lookUp(let id, let lookup): work.others.append(.lookUp(id, lookup))
        case .handOver(let id, let program, let user, let secret): handedOver(id, program, user, secret)
        case .tellProgram(let id, let message): told(id, message)
        case .tellControl(let id, let reply): told(id, reply)
        case .allowSleep: allowedSleep()
        case .showCode(let id, let uri, _): shown(id, uri)
        case .count(.pinWrong): judge.sights.note(.pinsWrong)
        case .advertise, .show, .allowPairing, .giveWay, .setHelped, .refuseLock, .log, .count, .site: break
        }
        if work.count > Judge.operationLimit { judge.fail("\(work.count) operations are under way") }
        return nil
    }

    // MARK: - Helpers

    mutating func number() -> UInt64 {
        numbers += 1
        return numbers
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func secret(_ text: String) -> HeldSecret { HeldSecret(SecretBytes(copying: Array(text.utf8))) }

    /// Advances the time and stops at each deadline on the way.
    mutating func pass(_ time: Duration) {
        let end = elapsed + time
        var rounds = 0
        while let due = nextDue(), due <= end, violation == nil {
            move(to: max(due, elapsed))
            timeHasCome()
            judgeDelays()
            rounds += 1
            if rounds > 10_000 { judge.fail("timers fire without end") }
        }
        move(to: end)
        errandsEnd()
        judgeDelays()
    }

    /// Returns the first of all deadlines, on the phones' clock.
    private func nextDue() -> Duration? {
        let offset = elapsed - now.sinceBoot
        var due = machine.deadline.map { $0 + offset }
        func note(_ other: Duration?) { if let other { due = min(due ?? other, other) } }
        for link in links.values { note(link.end.deadline.map { $0 + offset }) }
        for phone in phones {
            guard let errand = phone.errand else { continue }
            note(errand.errand.deadline)
            for case .scan(_, let until, _) in errand.pending { note(until) }
        }
        return due
    }

    private mutating func timeHasCome() {
        for id in linkIDs where (links[id]?.end.deadline).map({ $0 <= now.sinceBoot }) ?? false {
            drive(id, .time)
            if let left = links[id]?.end.deadline, left <= now.sinceBoot { judge.fail("a link's deadline is left") }
        }
        for phone in phones.indices {
            for case .scan(let number, let until, _) in phones[phone].errand?.pending ?? [] where until <= elapsed {
                phones[phone].errand?.pending.removeAll { if case .scan = $0 { true } else { false } }
                happen(.phone(phone, .scanOver(number, nil)))
            }
            if let due = phones[phone].errand?.errand.deadline, due <= elapsed { happen(.phone(phone, .time)) }
        }
        feed(.timeHasCome)
    }

    /// Checks that no operation exceeds its bound, not counting the time of the user and the phone's store.
    private mutating func errandsEnd() {
        for phone in phones.indices {
            guard let errand = phones[phone].errand, let bound = errand.bound else { continue }
            if elapsed - errand.begun - errand.excused > bound {
                judge.fail("an errand of \(errand.purpose) takes too long")
            }
        }
    }

    private mutating func move(to time: Duration) {
        let day: Int64 = 86_400
        let passed = time - elapsed
        let before = now.sinceBoot.components.seconds
        now.sinceBoot += passed
        now.secondOfDay = (now.secondOfDay + now.sinceBoot.components.seconds - before) % day
        elapsed = time
        for phone in phones.indices where phones[phone].errand?.pending.contains(where: \.isExcused) ?? false {
            phones[phone].errand?.excused += passed
        }
    }
}

/// A queued event, which happens before time passes.
enum Happening {
    case event(Event)
    /// An event of a channel for the agent.
    case told(ChannelID, ChannelEvent)
    /// An event for a phone's operation.
    case phone(Int, PhoneEvent)
}

/// The operations that the shell would run.
struct RunningOperations {
    enum Other {
        case act(OperationID, SessionOperation, SessionTarget)
        case lookUp(OperationID, Lookup)
        case handOver(OperationID, ProgramID)
    }

    /// The commands to the vault, which are answered in order, because the vault has one writer.
    var vault: [(id: OperationID, command: VaultCommand)] = []
    var others: [Other] = []

    var count: Int { vault.count + others.count }

    /// The number of pending commands that need a hash, for the device with the most of them.
    var hashesOfOneDevice: Int {
        var counts: [DeviceID: Int] = [:]
        for (_, command) in vault {
            switch command {
            case .openCredential(let device, _, _), .storeCredential(let device, _, _, _),
                .changePIN(let device, _, _, _):
                counts[device, default: 0] += 1
            default: break
            }
        }
        return counts.values.max() ?? 0
    }
}
