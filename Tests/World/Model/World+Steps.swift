import AgentConfiguration
import AgentCore
import PhoneCore
import PhoneMessages
import TestSupport
import VaultPort

/// Runs a seed's steps one by one, and checks what must still be possible after them.
extension World {
    /// Runs step `number` of the seed. Each step has its own random numbers.
    public mutating func step(_ number: Int) {
        guard violation == nil else { return }
        judge.step = number
        random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<27: phoneStep()
        case 27..<34: intruderStep()
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
        dropLock { _ in true }
        feed(.policy(configuration))
    }

    /// Kills the agent and starts it again. Pending operations get no answer, and all connections are gone.
    mutating func crash(reboots: Bool) {
        if trace != nil {
            trace?.append(reboots ? "the machine is started anew" : "the agent is killed and started again")
        }
        judge.sights.note(reboots ? .reboots : .crashes)
        work = RunningOperations()
        linksBreak()
        programs = [:]
        commands = [:]
        judge.origins = []
        // A revocation that was not reported as done may be lost with the agent.
        judge.barred = judge.revoked
        judge.elevations = []
        judge.sleepingSince = nil
        judge.sleepActs = []
        judge.compared = nil
        judge.reporting = []
        for id in logind.ids { logind.sessions[id]?.duties = Duties() }
        logind.told = [:]
        pings = PingAllowance()
        if reboots {
            vault.reboot()
            logind = ModelLogind()
            now.sinceBoot = .seconds(10)
        }
        machine = AgentMachine(machine.policy, now: now)
        feed(.started)
        if logind.isThere { logindComes() }
    }

    /// Answers all operations, and ends all connections. Nothing may be left, and a new phone must be able to log in.
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
        // By then, held logins have ended, and every other request has its result.
        pass(.seconds(120))
        settle()
        for (id, link) in links.sorted(by: { $0.key.number < $1.key.number }) where !link.isFinished && !link.isClosed {
            // An enrolment may still wait for the administrator.
            if link.device != nil, !link.isMuted, !link.open.isEmpty {
                judge.fail(
                    "requests of channel \(id.number) have no result: \(link.open.keys.map(\.rawValue).sorted())")
            }
        }
        // Intruders that hold links and flood must not prevent these logins.
        somebodyLogsIn("zoe")
        nobodyIsHeldUp("xena")
        everybodyLeaves()
        sessionsEnd()
        nothingIsLeft()
        somebodyLogsIn("yves")
    }

    private mutating func linksBreak() {
        for phone in phones.indices { cut(phone) }
        links = [:]
        drain()
    }

    /// Runs until nothing is under way.
    mutating func settle() {
        var rounds = 0
        while violation == nil, rounds < 20_000 {
            rounds += 1
            if !work.vault.isEmpty { answerVault() } else if !work.others.isEmpty { answer(work.others.removeFirst()) }
            let busy = linkIDs.filter { links[$0]?.isBusy(now.sinceBoot) ?? false }
            for id in busy { carry(id) }
            drain()
            let moved = phones.indices.filter { move($0) }
            if work.count == 0, busy.isEmpty, moved.isEmpty { break }
        }
        noteOwners()
    }

    /// Cancels all operations, which end after the phone's store has answered and the box had time to report a login.
    private mutating func everybodyLeaves() {
        for phone in phones.indices { giveUp(phone) }
        for id in linkIDs { vanish(id) }
        drain()
        for id in programs.keys.sorted(by: { $0.number < $1.number }) { programLeaves(id) }
        for id in commands.keys.sorted() { commandLeaves(id) }
        settle()
        pass(.seconds(10))
        settle()
        if !links.isEmpty { judge.fail("\(links.count) links are left when everybody has gone") }
    }

    private mutating func giveAll(_ phone: Int) {
        drain()
        for _ in 0..<4 where phones[phone].errand?.pending.isEmpty == false {
            give(0, phone)
            drain()
        }
    }

    mutating func giveUp(_ phone: Int) {
        guard phones[phone].errand != nil else { return }
        happen(.phone(phone, .cancel))
        giveAll(phone)
        if phones[phone].errand != nil {
            pass(PhoneLimits().withdrawal)
            giveAll(phone)
        }
        if phones[phone].errand != nil { judge.fail("an errand goes on after its person has given up") }
    }

    /// All phones are away, so each owned session must be told to end within the longest away time.
    private mutating func sessionsEnd() {
        for _ in 0..<20 {
            pass(.seconds(60))
            settle()
        }
        for session in logind.sessions.values
        where session.owner != nil && !session.wasToldToEnd && !absenceIsNothing(session.owner) {
            judge.fail("the session \(String(decoding: session.id, as: UTF8.self)) outlives its phone's absence")
        }
    }

    private mutating func nothingIsLeft() {
        let left = judge.origins.filter { $0.secret != nil }.count
        if left > 0 { judge.fail("\(left) credentials are still in memory") }
    }

    /// Checks that a fresh phone can log in within ten seconds, and waits for a bounded number of vault commands.
    private mutating func somebodyLogsIn(_ user: String) {
        guard let (phone, program) = logsIn(user) else { return }
        programLeaves(program)
        giveUp(phone)
    }

    /// Logs in with a fresh phone until a program holds its credential.
    mutating func logsIn(_ user: String) -> (phone: Int, program: ProgramID)? {
        guard violation == nil else { return nil }
        let phone = phones.count
        phones.append(WorldPhone(number: 90 + phone, user: user, isHostile: false))
        enrolBefore(phone, .phoneHeld)
        guard let row = phones[phone].vault.row?.box else { return nil }
        let program = ProgramID(number: number())
        programs[program] = WorldProgram(user: Array(user.utf8), process: 9_999, isAtSeat: true)
        askAtSeat(program, Array(user.utf8))
        let begun = elapsed
        var commands = 0
        run(.request(BoxTarget(row), .login(password(of: phone))), .login, phone)
        for _ in 0..<5_000 where violation == nil {
            if case .holding? = programs[program]?.stage { break }
            if !work.vault.isEmpty { commands += 1 }
            if move(phone) { continue }
            if work.count > 0 {
                if !work.vault.isEmpty { answerVault() } else { answer(work.others.removeFirst()) }
            } else if elapsed - begun < .seconds(10) {
                pass(.milliseconds(250))
            } else {
                break
            }
        }
        guard case .holding? = programs[program]?.stage else {
            judge.fail("\(user) cannot log in any more")
            return nil
        }
        if commands > Judge.commandsAhead { judge.fail("a login waited for \(commands) commands") }
        return (phone, program)
    }
}
