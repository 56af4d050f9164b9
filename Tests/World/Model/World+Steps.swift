import AgentConfiguration
import AgentCore
import PhoneMessages
import TestSupport
import VaultPort

/// A seed's steps, one by one, and what must still be possible behind them.
extension World {
    /// Step `number` of the seed, which draws from numbers of its own.
    public mutating func step(_ number: Int) {
        guard violation == nil else { return }
        judge.step = number
        random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34: phoneStep()
        case 34..<50: programStep()
        case 50..<55: commandStep()
        case 55..<58: logindStep()
        case 58..<86: answerStep()
        case 86..<96: pass(.milliseconds(Int64.random(in: 0...(chance(4) ? 300_000 : 3_000), using: &random)))
        case 96: vault.failure = vault.failure == nil && chance(15) ? .diskFull : nil
        case 97: feed(.radio(chance(50) ? .working("") : .starting))
        case 98: if chance(20) { crash(reboots: chance(30)) }
        default: if chance(30) { changePolicy() }
        }
        noteOwners()
    }

    private mutating func changePolicy() {
        var configuration = machine.policy.configuration
        configuration.pin.attempts = Int.random(in: 3...10, using: &random)
        configuration.presence.enabled = chance(80)
        configuration.autoLogout.longestSeconds = chance(50) ? 3_600 : 0
        vault.policy = configuration.pin.attemptPolicy
        feed(.policy(configuration))
    }

    /// The agent is killed: what it had under way is done, or never will be; connections are gone.
    mutating func crash(reboots: Bool) {
        if trace != nil {
            trace?.append(reboots ? "the machine is started anew" : "the agent is killed and started again")
        }
        judge.sights.note(reboots ? .reboots : .crashes)
        work = RunningOperations()
        channels = [:]
        programs = [:]
        commands = [:]
        judge.origins = []
        // A revocation that was not written down ends with the agent, which has said so.
        judge.barred = judge.revoked
        judge.elevations = []
        judge.sleepingSince = nil
        judge.sleepActs = []
        judge.isTapShown = false
        if reboots {
            vault.reboot()
            logind = ModelLogind()
            now.sinceBoot = .seconds(10)
        }
        machine = AgentMachine(machine.policy, now: now)
        feed(.started)
        if logind.isThere { logindComes() }
    }

    /// Everybody leaves, everything answers, and time passes: nothing is left, and somebody can log in.
    public mutating func finish() {
        guard violation == nil else { return }
        judge.step += 1
        random = SeededGenerator(seed: seed ^ 0xF1F1_F1F1)
        if trace != nil { trace?.append("everything works again, and everybody leaves") }
        vault.failure = nil
        judge.isQuiet = true
        if !logind.isThere { logindComes() }
        if judge.sleepingSince != nil {
            judge.sleepingSince = nil
            feed(.logind(.woke))
        }
        settle()
        // A held login ends by itself; every other request has its result.
        pass(.seconds(120))
        settle()
        for (id, channel) in channels.sorted(by: { $0.key.number < $1.key.number }) where !channel.isFinished {
            if !channel.isMuted, !channel.open.isEmpty {
                judge.fail(
                    "requests of channel \(id.number) have no result: \(channel.open.keys.map(\.rawValue).sorted())")
            }
        }
        everybodyLeaves()
        sessionsEnd()
        nothingIsLeft()
        somebodyLogsIn()
    }

    /// Until nothing is under way.
    private mutating func settle() {
        var rounds = 0
        while work.count > 0, violation == nil, rounds < 20_000 {
            rounds += 1
            if !work.vault.isEmpty { answerVault() } else { answer(work.others.removeFirst()) }
        }
        noteOwners()
    }

    private mutating func everybodyLeaves() {
        for id in channels.keys.sorted(by: { $0.number < $1.number }) { leave(id) }
        for id in programs.keys.sorted(by: { $0.number < $1.number }) { programLeaves(id) }
        for id in commands.keys.sorted() { commandLeaves(id) }
        settle()
    }

    /// Every phone is away: what its login opened is told to end within the longest time away that there is.
    private mutating func sessionsEnd() {
        for _ in 0..<20 {
            pass(.seconds(60))
            settle()
        }
        for session in logind.sessions.values where session.owner != nil && !session.wasToldToEnd {
            judge.fail("the session \(String(decoding: session.id, as: UTF8.self)) outlives its phone's absence")
        }
    }

    private mutating func nothingIsLeft() {
        if judge.isTapShown { judge.fail("the tap's sign shows a tap that nobody holds") }
        let left = judge.origins.filter { $0.secret != nil }.count
        if left > 0 { judge.fail("\(left) credentials are still in memory") }
    }

    /// No state in which nobody can log in any more.
    private mutating func somebodyLogsIn() {
        guard violation == nil else { return }
        var phone = phones[0]
        // Barred it stays, as long as this agent runs, also if its revocation could not be written down.
        if vault.devices[phone.id]?.record.state != .active || judge.barred.contains(phone.id) {
            phone = WorldPhone(number: 101, isHostile: false)
            phones.append(phone)
            vault.add(phone.record)
        }
        let program = ProgramID(number: number())
        programs[program] = WorldProgram(user: phone.record.user, process: 9_999, isAtSeat: true)
        logIn(at: program, with: phone)
        if case .holding = programs[program]?.stage { return }
        judge.fail("nobody can log in any more")
    }

    private mutating func logIn(at program: ProgramID, with phone: WorldPhone) {
        askAtSeat(program, phone)
        settle()
        let channel = ChannelID(number: number())
        channels[channel] = WorldChannel(phone: phones.firstIndex { $0.id == phone.id })
        feed(.phone(channel, .arrived(connection: "the last link")))
        channels[channel]?.stage = .proved
        feed(.phone(channel, .proved(DeviceSheet(record: phone.record))))
        channels[channel]?.isGreeted = true
        send(.hello(versions: [MessageLimits.protocolVersion], capabilities: []), on: channel)
        let credential = secret(phone.password)
        judge.came(credential, from: phone.id, phone.record.user, on: channel)
        send(.login(credential), on: channel)
        settle()
    }
}
