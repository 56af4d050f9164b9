import AgentCore
import PAMProtocol
import Names
import PhoneMessages
import Secrets
import VaultPort

/// A program with the PAM module, such as login(1).
struct WorldProgram {
    enum Stage: Equatable {
        case asked
        case waiting
        /// The program holds a credential of this device, and has not reported an outcome.
        case holding(DeviceID)
        case inSession([UInt8]?)
        case over
    }

    let user: [UInt8]?
    let process: Int32
    let isAtSeat: Bool
    /// True for a user who comes over a network.
    var isRemote = false
    var stage = Stage.asked
}

extension [ProgramID: WorldProgram] {
    func facts(of asking: some Sequence<ProgramID>) -> [ProgramID: SeatFacts] {
        asking.reduce(into: [:]) { $0[$1] = facts(of: $1) }
    }

    func facts(of program: ProgramID) -> SeatFacts {
        let terminal = self[program]?.isAtSeat ?? false ? 1 : 2
        return SeatFacts(process: SeatFacts.Process(terminal: .virtual(terminal), parent: 1), foreground: 1)
    }
}

extension World {
    mutating func programStep() {
        let id = programs.keys.sorted { $0.number < $1.number }.randomElement(using: &random)
        guard let id, let program = programs[id], !chance(30) else { return programComes() }
        if chance(4) { return programLeaves(id) }
        switch program.stage {
        case .asked, .waiting: break
        case .holding(let device): decide(id, program, device)
        case .inSession(let session):
            if chance(8) {
                programs[id]?.stage = .over
                feed(.program(id, .says(.sessionClosed)))
                if let session { end(session) }
            }
        case .over: programLeaves(id)
        }
    }

    private mutating func programComes() {
        guard programs.count < 12 else { return }
        let id = ProgramID(number: number())
        var user = chance(60) ? Array((WorldPhone.users.randomElement(using: &random) ?? "alice").utf8) : nil
        let session = logind.ids.randomElement(using: &random).flatMap { logind.sessions[$0] }
        let isSudo = session != nil && chance(25)
        if let session, isSudo { user = Array(session.properties.user.utf8) }
        programs[id] = WorldProgram(user: user, process: Int32(1_000 + numbers), isAtSeat: chance(80))
        let isRemote = chance(8)
        programs[id]?.isRemote = isRemote
        let request = PAMAuthentication(
            service: Array((isSudo ? "sudo" : "login").utf8), user: user, terminal: Array("/dev/tty1".utf8),
            remoteHost: isRemote ? Array("elsewhere".utf8) : nil, waitSeconds: chance(80) ? 30 : 0)
        let caller = Caller(uid: chance(95) ? 0 : 1_000, pid: Int32(1_000 + numbers), daemonUID: 900)
        feed(.program(id, .asks(request, caller)))
    }

    mutating func askAtSeat(_ id: ProgramID, _ user: [UInt8]) {
        let request = PAMAuthentication(
            service: Array("login".utf8), user: user, terminal: Array("/dev/tty1".utf8), remoteHost: nil,
            waitSeconds: 30)
        feed(.program(id, .asks(request, Caller(uid: 0, pid: 9_999, daemonUID: 900))))
    }

    /// Reports the module's next step after it has the credential.
    private mutating func decide(_ id: ProgramID, _ program: WorldProgram, _ device: DeviceID) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            programs[id]?.stage = .over
            feed(.program(id, .says(.notAccepted)))
        case 1:
            programs[id]?.stage = .over
            feed(.program(id, .says(.ended(status: PAMStatus.authError))))
        case 2: feed(.program(id, .says(chance(50) ? .verdictReached : .accountEntered)))
        case 3:
            judge.opened[device] = judge.step
            programs[id]?.stage = .inSession(nil)
            feed(.program(id, .says(.sessionOpened(logindSession: nil, terminal: Array("tty1".utf8)))))
        default:
            judge.opened[device] = judge.step
            let user = vault.devices[device]?.record.user ?? []
            let session = logind.open(user, by: program.process)
            programs[id]?.stage = .inSession(session.id)
            // Logind reports the session before or after the program does.
            let isTold = chance(50)
            if isTold { tell(.appeared(session.properties)) }
            feed(.program(id, .says(.sessionOpened(logindSession: session.id, terminal: Array("tty1".utf8)))))
            if !isTold { tell(.appeared(session.properties)) }
        }
    }

    /// Opens the session after the program has a credential of this device.
    mutating func open(_ id: ProgramID, of device: DeviceID) -> [UInt8] {
        judge.opened[device] = judge.step
        let session = logind.open(vault.devices[device]?.record.user ?? [], by: programs[id]?.process ?? 0)
        programs[id]?.stage = .inSession(session.id)
        tell(.appeared(session.properties))
        feed(.program(id, .says(.sessionOpened(logindSession: session.id, terminal: Array("tty1".utf8)))))
        return session.id
    }

    mutating func programLeaves(_ id: ProgramID) {
        guard programs.removeValue(forKey: id) != nil else { return }
        feed(.program(id, .left))
    }

    mutating func told(_ id: ProgramID, _ message: ProgramMessage) {
        if commands[ControlID(number: id.number)] != nil { return }
        guard let program = programs[id] else { return judge.fail("a program that left is told \(message)") }
        switch (message, program.stage) {
        case (.noted, _), (.judged, .holding), (.judged, .inSession), (.judged, .over): break
        case (.waiting, .asked), (.asking, .asked): programs[id]?.stage = .waiting
        case (.waiting, .waiting), (.asking, .waiting): break
        case (.refused, .asked), (.refused, .waiting):
            judge.sights.note(.refusals)
            programs[id]?.stage = .over
        default: judge.fail("a program that is \(program.stage) is told \(message)")
        }
    }

    mutating func handedOver(_ id: OperationID, _ program: ProgramID, _ user: [UInt8], _ secret: HeldSecret) {
        judge.given(secret, user: user, links: links)
        work.others.append(.handOver(id, program))
        if judge.elevations.contains(program) { judge.sights.note(.elevationsGiven) }
        // Others are a login test by a command, or a program that has left.
        guard let known = programs[program] else { return }
        guard known.stage == .waiting || known.stage == .asked else {
            return judge.fail("a program that is \(known.stage) is given a credential")
        }
        if !known.isAtSeat, let device = judge.device(of: secret), !judge.elevations.contains(program) {
            judge.fail("a program behind the screen is given a credential of \(device)")
        }
        if known.isRemote { judge.fail("somebody who comes over a network is given a credential") }
        if let wanted = known.user, wanted != user { judge.fail("a program is given another user's credential") }
        if let device = judge.device(of: secret) { programs[program]?.stage = .holding(device) }
    }
}
