import AgentCore
import Names
import PhoneMessages
import Secrets
import Vault
import VaultPort

/// Elevation requests of three users and events of their phones, in any order.
enum ElevationFuzz {
    static let entry: FuzzEntry = { data, count in
        var steps = FuzzSteps(data, count)
        var world = World()
        while let kind = steps.next(of: 9) { world.step(kind, &steps) }
        world.end(steps.now)
        return 0
    }

    private static let users = [Array("alice".utf8), Array("bob".utf8), Array("carol".utf8)]
    private static let secret = HeldSecret(SecretBytes(copying: Array("secret".utf8)))

    private struct World {
        var machine = ElevationRendezvous()
        /// The programs whose requests are open, each with its user.
        var asked: [ProgramID: [UInt8]] = [:]
        var shown: [ElevationID: [UInt8]] = [:]
        var phones: [ChannelID: [UInt8]] = [:]
        var answered: Set<UInt32> = []
        var taps: UInt32 = 0
        var programs: UInt64 = 0

        mutating func step(_ kind: UInt8, _ steps: inout FuzzSteps) {
            let user = ElevationFuzz.users[Int(steps.choice(of: 3))]
            let number = steps.choice(of: 8)
            let channel = ChannelID(number: UInt64(number))
            switch kind {
            case 0, 1:
                programs += 1
                let program = ProgramID(number: programs)
                asked[program] = user
                let ask = ElevationRendezvous.Ask(
                    program: program, user: user, service: Array("sudo".utf8), terminal: [], requester: user,
                    until: steps.now + .seconds(Int(number) * 10))
                perform(.asked(ask), steps.now)
            case 2:
                let program = ProgramID(number: UInt64(steps.choice(of: 64)))
                // A program that has left gets no reply.
                asked[program] = nil
                perform(.programLeft(program), steps.now)
            case 3:
                // A channel has one phone, and a phone has one user.
                if phones[channel] == nil { phones[channel] = user }
                perform(.phoneCame(channel, user: phones[channel] ?? user), steps.now)
            case 4:
                phones[channel] = nil
                perform(.phoneLeft(channel), steps.now)
            case 5, 6:
                guard let id = identifier(&steps), let tap = tap(user) else { return }
                perform(.allowed(id, tap), steps.now, tap: tap, for: id)
            case 7:
                guard let id = identifier(&steps) else { return }
                perform(number % 2 == 0 ? .declined(id, user: user) : .wrong(user: user), steps.now)
            default:
                perform(.timer, steps.now)
                promiseNothingIsDue(machine.deadline, at: steps.now)
            }
        }

        mutating func end(_ now: Duration) {
            for action in machine.stop() { check(action, nil, nil, now) }
            promise(asked.isEmpty, "a program waits after the agent has stopped")
        }

        private func identifier(_ steps: inout FuzzSteps) -> ElevationID? {
            ElevationID(rawValue: UInt32(steps.choice(of: 32)) + 1)
        }

        private mutating func tap(_ user: [UInt8]) -> Tap? {
            taps += 1
            guard let device = DeviceID(bytes: [UInt8](repeating: 1, count: DeviceID.byteCount)),
                let request = RequestID(rawValue: taps)
            else { return nil }
            return Tap(
                id: TapID(channel: ChannelID(number: 1), request: request), device: device, user: user,
                credential: ElevationFuzz.secret, tappedAt: .zero)
        }

        private mutating func perform(
            _ event: ElevationRendezvous.Event, _ now: Duration, tap: Tap? = nil, for id: ElevationID? = nil
        ) {
            for action in machine.handle(event, now: now) { check(action, tap, id, now) }
            if let tap { promise(answered.contains(tap.id.request.rawValue), "a phone's answer is not answered") }
            for user in ElevationFuzz.users {
                let open = shown.filter { machine.isOpen($0.key, user: user) }
                promise(open.count <= 1, "a user is asked two things at once")
                promise(open.allSatisfy { $0.value == user }, "a request is open for another user")
            }
        }

        private mutating func check(
            _ action: ElevationRendezvous.Action, _ tap: Tap?, _ id: ElevationID?, _ now: Duration
        ) {
            switch action {
            case .tellAsking(let program): promise(asked[program] != nil, "a program is told that never asked")
            case .refuse(let program, _):
                promise(asked.removeValue(forKey: program) != nil, "a program is refused twice, or never asked")
            case .deliver(let ask, let delivered):
                let claim = asked.removeValue(forKey: ask.program)
                promise(claim == ask.user, "a program gets an answer it has no claim to")
                promise(ask.user == delivered.user, "another user's password is delivered")
                promise(ask.until > now, "an answer is delivered too late")
                promise(id.flatMap { shown[$0] } == ask.user, "an answer serves another request than the one shown")
                promise(tap?.id == delivered.id, "an answer is delivered that nobody gave now")
            case .show(let prompt, let channel):
                promise(phones[channel] != nil, "a request is shown on a channel that is gone")
                shown[prompt.id] = phones[channel]
            case .over(let over, let channel):
                promise(phones[channel] != nil && phones[channel] == shown[over], "another's phone hears of a request")
            case .tellDelivered(let id), .answer(let id, _):
                promise(answered.insert(id.request.rawValue).inserted, "an answer is answered twice")
            }
        }
    }
}
