import AgentConfiguration
import AgentCore
import Names
import PhoneMessages
import Secrets
import TestSupport
import VaultPort

/// A box with everybody around it, in one process and in virtual time: phones, some of them hostile, programs, sessions,
/// administrators, clocks and crashes around the machine that decides.
///
/// Step `n` of a seed draws from numbers of its own, so that a trace can be shortened: what is left out changes nothing else.
public struct World {
    public let seed: UInt64
    var random: SeededGenerator
    var now = Moment(sinceBoot: .seconds(1_000), secondOfDay: 43_200)
    var machine: AgentMachine
    var vault = ModelVault()
    var logind = ModelLogind()
    var phones: [WorldPhone] = []
    var channels: [ChannelID: WorldChannel] = [:]
    var programs: [ProgramID: WorldProgram] = [:]
    var commands: [ControlID: WorldCommand] = [:]
    var work = RunningOperations()
    var judge = Judge()
    var numbers: UInt64 = 0
    /// What happened, for a failing run; nil: nobody reads it.
    var trace: [String]?

    /// What is wrong, as soon as something is.
    public var violation: String? { judge.violation }
    public var lines: [String] { trace ?? [] }
    public var effects: Int { judge.effects }
    public var sights: Sights { judge.sights }
    /// Steps until something went wrong, or all of them.
    public var stepsTaken: Int { judge.step + 1 }

    public init(seed: UInt64, isTraced: Bool = false) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        trace = isTraced ? [] : nil
        let configuration = Self.configuration(&random)
        machine = AgentMachine(Policy(configuration, boxID: Array("1128".utf8)), now: now)
        vault.policy = configuration.pin.attemptPolicy
        for number in 1...6 { phones.append(WorldPhone(number: UInt8(number), isHostile: number > 4)) }
        for phone in phones { vault.add(phone.record) }
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

    // MARK: - Events in, effects out

    mutating func feed(_ event: Event) {
        var events = [event]
        while !events.isEmpty, violation == nil {
            let event = events.removeFirst()
            if trace != nil { trace?.append("\(now.sinceBoot.components.seconds) s  \(event)") }
            let effects = machine.handle(event, at: now)
            judge.effects += effects.count
            for effect in effects {
                if trace != nil { trace?.append("        → \(effect)") }
                if let answer = perform(effect) { events.insert(answer, at: 0) }
            }
        }
        timersFire()
    }

    /// A deadline that has come is over once its timer has fired: the loop would never sleep else.
    private mutating func timersFire() {
        guard violation == nil, let deadline = machine.deadline, deadline <= now.sinceBoot else { return }
        judge.overdue += 1
        if judge.overdue > 3 {
            return judge.fail("a deadline of \(deadline) is left at \(now.sinceBoot): the loop would not sleep")
        }
        feed(.timeHasCome)
        judge.overdue = 0
    }

    /// What an effect does to the world; the answer of one that answers at once.
    private mutating func perform(_ effect: Effect) -> Event? {
        switch effect {
        case .mute(let id): channels[id]?.isMuted = true
        case .admit(let id): admitted(id)
        case .tellPhone(let id, let message): told(id, message)
        case .finish(let id, _, let lastWords): finished(id, lastWords)
        case .giveCode(let id, _): channels[id]?.hasCode = true
        case .vault(let id, let command):
            work.vault.append((id, command))
            if work.hashesOfOneDevice > 1 { judge.fail("the vault has two hashes of one device to make") }
        case .act(let id, let operation, let target): ordered(id, operation, target)
        case .lookUp(let id, .seats(let askers)):
            return .answered(id, .seats(programs.facts(of: askers.keys)))
        case .lookUp(let id, .newCode):
            return .answered(id, .code(id: Array("code".utf8), secret: secret("psk"), uri: secret("uri")))
        case .lookUp(let id, let lookup): work.others.append(.lookUp(id, lookup))
        case .handOver(let id, let program, let user, let secret): handedOver(id, program, user, secret)
        case .tellProgram(let id, let message): told(id, message)
        case .tellControl(let id, let reply): told(id, reply)
        case .showTapSign(let isShown): judge.isTapShown = isShown
        case .allowSleep: allowedSleep()
        case .showCode: judge.sights.note(.enrolments)
        case .count(.pinWrong): judge.sights.note(.pinsWrong)
        case .advertise, .allowPairing, .giveWay, .setHelped, .refuseLock, .log, .count: break
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

    /// Time goes on, past every deadline on the way; now and then a timer is late, as on a busy machine.
    mutating func pass(_ time: Duration) {
        let end = now.sinceBoot + time
        var rounds = 0
        while let due = machine.deadline, due <= end, violation == nil {
            move(to: max(due, now.sinceBoot))
            feed(.timeHasCome)
            rounds += 1
            if rounds > 10_000 { judge.fail("timers fire without end") }
        }
        move(to: end)
    }

    private mutating func move(to time: Duration) {
        let day: Int64 = 86_400
        now.secondOfDay = (now.secondOfDay + (time - now.sinceBoot).components.seconds) % day
        now.sinceBoot = time
    }
}

/// What the shell would be doing.
struct RunningOperations {
    enum Other {
        case act(OperationID, SessionOperation, SessionTarget)
        case lookUp(OperationID, Lookup)
        case handOver(OperationID, ProgramID)
    }

    /// One after the other, as the vault's one writer has them.
    var vault: [(id: OperationID, command: VaultCommand)] = []
    var others: [Other] = []

    var count: Int { vault.count + others.count }

    /// Most commands of one device that cost the vault a hash.
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
