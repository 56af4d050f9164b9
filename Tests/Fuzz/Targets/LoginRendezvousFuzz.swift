import AgentCore
import Names
import PhoneMessages
import Secrets
import Vault
import VaultPort

/// Programs and taps of three users on six phones, which arrive, leave and are revoked in any order.
enum LoginRendezvousFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World()
        while let kind = steps.next(of: 10) { world.step(kind, &steps) }
        world.end(steps.now)
        return 0
    }

    private static let users = [Array("alice".utf8), Array("bob".utf8), Array("carol".utf8)]
    private static let secret = HeldSecret(SecretBytes(copying: Array("secret".utf8)))
    private static let holdTime = Duration.seconds(30)

    private struct Program {
        let user: [UInt8]?
        let until: Duration
    }

    private struct Held {
        let tap: Tap
        let since: Duration
        var isClaimed = false
    }

    private struct World {
        var machine = LoginRendezvous(holdTime: LoginRendezvousFuzz.holdTime)
        var programs: [ProgramID: Program] = [:]
        /// The open taps.
        var taps: [TapID: Held] = [:]
        var lastProgram: UInt64 = 0
        var lastRequest: UInt32 = 0

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            let number = steps.choice(of: 6)
            let user = LoginRendezvousFuzz.users[Int(number) / 2]
            let now = steps.now
            switch kind {
            case 0, 1, 2:
                lastProgram += 1
                let program = Program(
                    user: kind == 2 ? nil : user, until: now + .seconds(Int(steps.choice(of: 60))))
                programs[ProgramID(number: lastProgram)] = program
                perform(
                    .programAsks(
                        ProgramID(number: lastProgram), user: program.user, takeOnly: kind == 1, until: program.until),
                    now)
            case 3:
                let program = ProgramID(number: UInt64(steps.choice(of: 64)))
                programs[program] = nil
                perform(.programLeft(program), now)
            case 4, 5, 6:
                guard let tap = tap(number, user) else { return }
                taps[tap.id] = Held(tap: tap, since: now)
                perform(.tap(tap), now)
            case 7:
                guard let tap = taps.keys.min(by: { $0.request.rawValue < $1.request.rawValue }) else { return }
                perform(.tapWithdrawn(tap), now)
                promise(taps[tap] == nil, "a tap that was taken back waits")
            case 8: revoke(number, claims: user, now)
            default:
                perform(.timer, now)
                promiseNothingIsDue(machine.deadline, at: now)
            }
        }

        /// Claims a tap, as a greeter does. If the user has no tap, revokes a phone instead.
        private mutating func revoke(_ number: UInt8, claims user: [UInt8], _ now: Duration) {
            if machine.claimTap(of: user, now: now) {
                let own = taps.first { $0.value.tap.user == user }
                promise(own.map { !$0.value.isClaimed } ?? false, "one tap is claimed twice, or none")
                if let key = own?.key { taps[key]?.isClaimed = true }
                return
            }
            guard let device = device(number) else { return }
            // The requests of a revoked phone get no answer. The phone receives `revoked` on its channel.
            taps = taps.filter { $0.value.tap.device != device }
            perform(.deviceRevoked(device), now)
        }

        mutating func end(_ now: Duration) {
            for action in machine.stop() { check(action, now) }
            promise(programs.isEmpty && taps.isEmpty, "something waits after the agent has stopped")
            promise(!machine.holdsCredential, "a credential is kept after the agent has stopped")
        }

        private func device(_ number: UInt8) -> DeviceID? {
            DeviceID(bytes: [UInt8](repeating: number + 1, count: DeviceID.byteCount))
        }

        private mutating func tap(_ number: UInt8, _ user: [UInt8]) -> Tap? {
            lastRequest += 1
            guard let device = device(number), let request = RequestID(rawValue: lastRequest) else { return nil }
            let id = TapID(channel: ChannelID(number: UInt64(number)), request: request)
            return Tap(
                id: id, device: device, user: user, credential: LoginRendezvousFuzz.secret, tappedAt: .zero)
        }

        private mutating func perform(_ event: LoginRendezvous.Event, _ now: Duration) {
            for action in machine.handle(event, now: now) { check(action, now) }
            promise(machine.waitingPrograms == programs.count, "a program is forgotten, or waits for nothing")
            promise(programs.count <= LoginRendezvous.programLimit, "more programs wait than the bound")
            promise(machine.holdsCredential == !taps.isEmpty, "a credential is kept for nobody, or lost")
            for user in LoginRendezvousFuzz.users {
                promise(taps.values.count { $0.tap.user == user } <= 1, "a user has two taps that wait")
            }
        }

        private mutating func check(_ action: LoginRendezvous.Action, _ now: Duration) {
            switch action {
            case .tellWaiting(let program): promise(programs[program] != nil, "a program is told that never asked")
            case .refuse(let program, _):
                promise(programs.removeValue(forKey: program) != nil, "a program is refused twice, or never asked")
            case .deliver(let id, let tap):
                let program = programs.removeValue(forKey: id)
                promise(program != nil, "a program is served twice, or never asked")
                promise(program?.user == nil || program?.user == tap.user, "a tap serves another user's program")
                let held = taps.removeValue(forKey: tap.id)
                promise(held != nil, "a tap is served twice, or after its end")
                let isFresh = held.map { now < $0.since + LoginRendezvousFuzz.holdTime } ?? false
                promise(isFresh, "a tap is served after its time")
            case .answerPhone(let tap, _):
                promise(
                    taps.removeValue(forKey: tap) != nil, "a tap is answered twice, or after its phone's revocation")
            case .tellPhone: break
            }
        }
    }
}
