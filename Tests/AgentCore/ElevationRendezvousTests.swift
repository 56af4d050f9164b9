import PAMProtocol
import PhoneMessages
import Secrets
import Testing

@testable import AgentCore

@Suite("Where programs ask for a password that the phone has to allow")
struct ElevationRendezvousTests {
    private let alice = Array("alice".utf8)
    private let bob = Array("bob".utf8)
    private let phone = ChannelID(number: 1)
    private let otherPhone = ChannelID(number: 2)

    /// The actions in a form that tests can compare, without their secrets.
    private enum Seen: Hashable {
        case asking(UInt64)
        case refuse(UInt64, UnavailableReason)
        case deliver(UInt64, tap: UInt32)
        case show(UInt32, seconds: UInt32, on: UInt64)
        case over(UInt32, on: UInt64)
        case delivered(UInt32)
        case answer(UInt32, ResultCode)
    }

    private func seen(_ actions: [ElevationRendezvous.Action]) -> [Seen] {
        actions.map { action in
            switch action {
            case .tellAsking(let program): .asking(program.number)
            case .refuse(let program, let reason): .refuse(program.number, reason)
            case .deliver(let ask, let tap): .deliver(ask.program.number, tap: tap.id.request.rawValue)
            case .show(let prompt, let channel):
                .show(prompt.id.rawValue, seconds: prompt.seconds, on: channel.number)
            case .over(let id, let channel): .over(id.rawValue, on: channel.number)
            case .tellDelivered(let tap): .delivered(tap.request.rawValue)
            case .answer(let tap, let code): .answer(tap.request.rawValue, code)
            }
        }
    }

    private func asked(
        _ program: UInt64, _ user: [UInt8]? = nil, until: Duration = .seconds(30)
    ) -> ElevationRendezvous.Event {
        .asked(
            ElevationRendezvous.Ask(
                program: ProgramID(number: program), user: user ?? alice, service: Array("sudo".utf8),
                terminal: Array("/dev/tty2".utf8), requester: user ?? alice, until: until))
    }

    private func allowed(_ id: UInt32, by user: [UInt8]? = nil, request: UInt32 = 7) throws
        -> ElevationRendezvous.Event
    {
        let tap = Tap(
            id: TapID(channel: phone, request: testRequest(request)), device: testDevice(1), user: user ?? alice,
            credential: HeldSecret(SecretBytes(copying: Array("secret".utf8))), tappedAt: .zero)
        return .allowed(try #require(ElevationID(rawValue: id)), tap)
    }

    /// Returns a rendezvous with alice's phone connected.
    private func connected() -> ElevationRendezvous {
        var machine = ElevationRendezvous()
        _ = machine.handle(.phoneCame(phone, user: alice), now: .zero)
        return machine
    }

    @Test("A request is shown, and its answer serves the program that asked")
    func served() throws {
        var machine = connected()
        #expect(seen(machine.handle(asked(1), now: .zero)) == [.asking(1), .show(1, seconds: 30, on: 1)])
        #expect(machine.deadline == .seconds(30))
        #expect(
            seen(machine.handle(try allowed(1), now: .seconds(5)))
                == [.over(1, on: 1), .deliver(1, tap: 7), .delivered(7)])
        #expect(machine.deadline == nil)
    }

    @Test("An answer serves once, and never another request than the one that was shown")
    func answersByID() throws {
        var machine = connected()
        _ = machine.handle(asked(1), now: .zero)
        _ = machine.handle(.programLeft(ProgramID(number: 1)), now: .seconds(1))
        #expect(seen(machine.handle(asked(2), now: .seconds(1))) == [.asking(2), .show(2, seconds: 29, on: 1)])
        #expect(seen(machine.handle(try allowed(1), now: .seconds(2))) == [.answer(7, .timedOut)])
        #expect(seen(machine.handle(try allowed(2, request: 8), now: .seconds(3))).contains(.deliver(2, tap: 8)))
        #expect(seen(machine.handle(try allowed(2, request: 9), now: .seconds(4))) == [.answer(9, .timedOut)])
    }

    @Test("Without a connected phone the program goes on to its prompt at once")
    func noPhone() {
        var machine = ElevationRendezvous()
        #expect(seen(machine.handle(asked(1), now: .zero)) == [.refuse(1, .noPhone)])
        _ = machine.handle(.phoneCame(phone, user: bob), now: .zero)
        #expect(seen(machine.handle(asked(2), now: .zero)) == [.refuse(2, .noPhone)])
    }

    @Test("A phone that comes meanwhile is shown the request, and the last that goes ends it")
    func phonesComeAndGo() {
        var machine = connected()
        _ = machine.handle(asked(1), now: .zero)
        #expect(
            seen(machine.handle(.phoneCame(otherPhone, user: alice), now: .seconds(10)))
                == [.show(1, seconds: 20, on: 2)])
        #expect(seen(machine.handle(.phoneLeft(phone), now: .seconds(11))) == [])
        #expect(seen(machine.handle(.phoneLeft(otherPhone), now: .seconds(12))) == [.refuse(1, .noPhone)])
    }

    @Test("A phone that says hello twice is shown nothing twice")
    func helloTwice() {
        var machine = connected()
        _ = machine.handle(asked(1), now: .zero)
        #expect(seen(machine.handle(.phoneCame(phone, user: alice), now: .zero)) == [])
    }

    @Test("Every phone of the user is told when one has answered")
    func allTold() throws {
        var machine = connected()
        _ = machine.handle(.phoneCame(otherPhone, user: alice), now: .zero)
        _ = machine.handle(asked(1), now: .zero)
        let actions = seen(machine.handle(try allowed(1), now: .seconds(1)))
        #expect(Set(actions.prefix(2)) == [.over(1, on: 1), .over(1, on: 2)])
    }

    @Test("Nobody else's phone is shown a request, or can answer it")
    func othersPhone() throws {
        var machine = connected()
        _ = machine.handle(.phoneCame(otherPhone, user: bob), now: .zero)
        #expect(seen(machine.handle(asked(1), now: .zero)) == [.asking(1), .show(1, seconds: 30, on: 1)])
        #expect(seen(machine.handle(try allowed(1, by: bob), now: .zero)) == [.answer(7, .timedOut)])
        #expect(
            seen(machine.handle(.declined(try #require(ElevationID(rawValue: 1)), user: bob), now: .zero)) == [])
        #expect(machine.isOpen(try #require(ElevationID(rawValue: 1)), user: alice))
        #expect(!machine.isOpen(try #require(ElevationID(rawValue: 1)), user: bob))
    }

    @Test("A user is asked one thing at a time; others are asked meanwhile")
    func oneAtATime() {
        var machine = connected()
        _ = machine.handle(.phoneCame(otherPhone, user: bob), now: .zero)
        _ = machine.handle(asked(1), now: .zero)
        #expect(seen(machine.handle(asked(2), now: .zero)) == [.refuse(2, .busy)])
        #expect(seen(machine.handle(asked(3, bob), now: .zero)) == [.asking(3), .show(2, seconds: 30, on: 2)])
    }

    @Test(
        "Who did not answer, said no or gave a wrong password is not asked again for half a minute",
        arguments: ["silent", "declined", "wrong"])
    func quiet(_ how: String) throws {
        var machine = connected()
        _ = machine.handle(asked(1, until: .seconds(10)), now: .zero)
        switch how {
        case "silent":
            #expect(seen(machine.handle(.timer, now: .seconds(10))) == [.over(1, on: 1), .refuse(1, .noTap)])
        case "declined":
            let id = try #require(ElevationID(rawValue: 1))
            #expect(
                seen(machine.handle(.declined(id, user: alice), now: .seconds(10)))
                    == [.over(1, on: 1), .refuse(1, .declined)])
        default:
            _ = machine.handle(try allowed(1), now: .seconds(9))
            _ = machine.handle(.wrong(user: alice), now: .seconds(10))
        }
        #expect(seen(machine.handle(asked(2), now: .seconds(39))) == [.refuse(2, .busy)])
        #expect(
            seen(machine.handle(asked(3, until: .seconds(60)), now: .seconds(40)))
                == [.asking(3), .show(2, seconds: 20, on: 1)])
    }

    @Test("An answer at the moment of expiry is late, and spends nothing")
    func expiryComesFirst() throws {
        var machine = connected()
        _ = machine.handle(asked(1), now: .zero)
        #expect(
            seen(machine.handle(try allowed(1), now: .seconds(30)))
                == [.over(1, on: 1), .refuse(1, .noTap), .answer(7, .timedOut)])
    }

    @Test("No more users than the bound are asked at once")
    func bounded() {
        var machine = ElevationRendezvous()
        for number in 0..<UInt64(ElevationRendezvous.userLimit + 1) {
            let user = Array("user\(number)".utf8)
            _ = machine.handle(.phoneCame(ChannelID(number: number), user: user), now: .zero)
            let first = seen(machine.handle(asked(number, user), now: .zero)).first
            #expect(first == (number < ElevationRendezvous.userLimit ? .asking(number) : .refuse(number, .busy)))
        }
    }

    @Test("When the agent stops, every program goes on to its prompt")
    func stops() {
        var machine = connected()
        _ = machine.handle(asked(1), now: .zero)
        #expect(seen(machine.stop()) == [.over(1, on: 1), .refuse(1, .agentFault)])
    }
}
