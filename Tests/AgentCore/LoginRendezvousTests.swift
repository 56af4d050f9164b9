import PAMProtocol
import PhoneMessages
import Secrets
import Testing

@testable import AgentCore

@Suite("Where PAM asks and the phone answers")
struct LoginRendezvousTests {
    private let alice = Array("alice".utf8)
    private let bob = Array("bob".utf8)

    /// The actions in a form that tests can compare, without their secrets.
    private enum Seen: Equatable {
        case waiting(UInt64)
        case deliver(UInt64, tap: UInt32)
        case refuse(UInt64, UnavailableReason)
        case progress(UInt32, LoginProgress)
        case answer(UInt32, ResultCode)
    }

    private func seen(_ actions: [LoginRendezvous.Action]) -> [Seen] {
        actions.map { action in
            switch action {
            case .tellWaiting(let program): .waiting(program.number)
            case .deliver(let program, let tap): .deliver(program.number, tap: tap.id.request.rawValue)
            case .refuse(let program, let reason): .refuse(program.number, reason)
            case .tellPhone(let tap, let progress): .progress(tap.request.rawValue, progress)
            case .answerPhone(let tap, let code): .answer(tap.request.rawValue, code)
            }
        }
    }

    private func tap(_ number: UInt32, device: UInt8 = 1, user: [UInt8]? = nil) -> LoginRendezvous.Event {
        .tap(
            Tap(
                id: TapID(channel: ChannelID(number: UInt64(device)), request: testRequest(number)),
                device: testDevice(device), user: user ?? alice,
                credential: HeldSecret(SecretBytes(copying: Array("secret".utf8))), tappedAt: .zero))
    }

    private func asks(_ number: UInt64, user: [UInt8]? = nil, takeOnly: Bool = false) -> LoginRendezvous.Event {
        .programAsks(ProgramID(number: number), user: user, takeOnly: takeOnly, until: .seconds(60))
    }

    @Test("A tap serves the one program that waits")
    func tapServes() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        #expect(seen(machine.handle(asks(1), now: .zero)) == [.waiting(1)])
        #expect(seen(machine.handle(tap(7), now: .seconds(5))) == [.deliver(1, tap: 7), .progress(7, .delivered)])
        #expect(machine.waitingPrograms == 0)
        #expect(!machine.holdsCredential)
    }

    @Test("A tap that comes first is held, for one use")
    func heldOnce() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        #expect(seen(machine.handle(tap(7), now: .zero)) == [.progress(7, .waitingForPrompt)])
        #expect(
            seen(machine.handle(asks(1, takeOnly: true), now: .seconds(29)))
                == [.deliver(1, tap: 7), .progress(7, .delivered)])
        #expect(seen(machine.handle(asks(2, takeOnly: true), now: .seconds(29))) == [.refuse(2, .noTap)])
    }

    @Test("A held credential is let go of after its time, and the phone is told")
    func expires() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        #expect(machine.deadline == .seconds(30))
        #expect(seen(machine.handle(.timer, now: .seconds(30))) == [.answer(7, .timedOut)])
        #expect(!machine.holdsCredential)
        #expect(machine.deadline == nil)
    }

    @Test("A tap that nobody took in time tells who asked meanwhile")
    func passedOver() {
        let other = asks(1, user: bob, takeOnly: true)
        let mine = LoginRendezvous.Event.programRefused(user: alice)
        let cases: [([LoginRendezvous.Event], ResultCode)] = [
            ([tap(7)], .timedOut),
            ([tap(7), other], .otherUserAsked),
            ([asks(1, user: bob), tap(7)], .otherUserAsked),
            ([other, tap(7)], .timedOut),
            ([tap(7), .programRefused(user: bob)], .otherUserAsked),
            ([tap(7), .programRefused(user: nil)], .promptNotServed),
            ([tap(7), mine, other], .promptNotServed),
            ([tap(7), other, mine], .promptNotServed),
            ([mine, tap(7)], .timedOut),
        ]
        for (events, code) in cases {
            var machine = LoginRendezvous(holdTime: .seconds(30))
            for event in events { _ = machine.handle(event, now: .zero) }
            #expect(seen(machine.handle(.timer, now: .seconds(30))) == [.answer(7, code)])
        }
    }

    @Test("A program that asks at the moment of expiry gets nothing old")
    func expiryComesFirst() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        #expect(seen(machine.handle(asks(1), now: .seconds(30))) == [.answer(7, .timedOut), .waiting(1)])
    }

    @Test("A program that names a user is served only by that user's phone")
    func otherUser() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(asks(1, user: bob), now: .zero)
        #expect(seen(machine.handle(tap(7), now: .zero)) == [.progress(7, .waitingForPrompt)])
        #expect(seen(machine.handle(asks(2, user: alice), now: .zero)).first == .deliver(2, tap: 7))
    }

    @Test("Two programs that wait for one tap are both refused, and the phone hears busy")
    func twoPrograms() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(asks(1), now: .zero)
        _ = machine.handle(asks(2), now: .zero)
        _ = machine.handle(asks(3, user: bob), now: .zero)
        #expect(
            seen(machine.handle(tap(7), now: .zero)) == [.refuse(1, .busy), .refuse(2, .busy), .answer(7, .busy)])
        #expect(machine.waitingPrograms == 1)
        #expect(!machine.holdsCredential)
    }

    @Test("A tap that waits keeps no other person's from being served, or from waiting as well")
    func heldByAnother() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(asks(1, user: bob), now: .zero)
        _ = machine.handle(tap(7), now: .zero)
        #expect(seen(machine.handle(tap(8, device: 2, user: bob), now: .zero)).first == .deliver(1, tap: 8))
        #expect(
            seen(machine.handle(tap(9, device: 2, user: bob), now: .zero)) == [.progress(9, .waitingForPrompt)])
        #expect(seen(machine.handle(asks(2, user: bob), now: .zero)).first == .deliver(2, tap: 9))
        #expect(seen(machine.handle(asks(3, user: alice), now: .zero)).first == .deliver(3, tap: 7))
    }

    @Test("A program that names nobody gets the tap that has waited longest, and whoever taps again waits anew")
    func longestFirst() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        _ = machine.handle(tap(8, device: 2, user: bob), now: .seconds(1))
        _ = machine.handle(tap(9), now: .seconds(2))
        #expect(machine.unclaimedUser == bob)
        #expect(seen(machine.handle(asks(1), now: .seconds(3))).first == .deliver(1, tap: 8))
        #expect(seen(machine.handle(asks(2), now: .seconds(3))).first == .deliver(2, tap: 9))
    }

    @Test("A program that names nobody leaves the tap that a greeter has claimed to the greeter's own program")
    func claimedStays() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        _ = machine.handle(tap(8, device: 2, user: bob), now: .zero)
        _ = machine.claimTap(of: alice, now: .zero)
        #expect(seen(machine.handle(asks(1), now: .zero)).first == .deliver(1, tap: 8))
        #expect(seen(machine.handle(asks(2, user: alice), now: .zero)).first == .deliver(2, tap: 7))
    }

    @Test("The number of taps that wait is bounded, and each ends after its own time")
    func heldBounded() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        for number in 1...UInt8(LoginRendezvous.heldLimit) {
            let user = Array("user\(number)".utf8)
            let seconds = Duration.seconds(Int64(number))
            _ = machine.handle(tap(UInt32(number), device: number, user: user), now: seconds)
        }
        #expect(seen(machine.handle(tap(99, device: 99, user: bob), now: .seconds(20))) == [.answer(99, .busy)])
        #expect(seen(machine.handle(.timer, now: .seconds(31))) == [.answer(1, .timedOut)])
        #expect(machine.deadline == .seconds(32))
    }

    @Test("The same person's tap on another phone takes the place of the first")
    func twoPhones() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        #expect(
            seen(machine.handle(tap(8, device: 2), now: .zero))
                == [.answer(7, .cancelled), .progress(8, .waitingForPrompt)])
        #expect(seen(machine.handle(asks(1), now: .zero)).first == .deliver(1, tap: 8))
    }

    @Test("A second tap of the same phone takes the place of the first")
    func secondTap() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        #expect(
            seen(machine.handle(tap(8), now: .zero)) == [.answer(7, .cancelled), .progress(8, .waitingForPrompt)])
    }

    @Test("A withdrawn tap and a revoked phone leave nothing to take")
    func withdrawn() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        let id = TapID(channel: ChannelID(number: 1), request: testRequest(7))
        #expect(seen(machine.handle(.tapWithdrawn(id), now: .zero)) == [.answer(7, .cancelled)])
        _ = machine.handle(tap(8), now: .zero)
        #expect(seen(machine.handle(.deviceRevoked(testDevice(1)), now: .zero)) == [])
        #expect(seen(machine.handle(asks(1, takeOnly: true), now: .zero)) == [.refuse(1, .noTap)])
    }

    @Test("A program that left is not served, and one that waited too long is told")
    func left() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(asks(1), now: .zero)
        _ = machine.handle(.programLeft(ProgramID(number: 1)), now: .zero)
        #expect(seen(machine.handle(tap(7), now: .zero)) == [.progress(7, .waitingForPrompt)])
        var waits = LoginRendezvous(holdTime: .seconds(30))
        _ = waits.handle(asks(1), now: .zero)
        #expect(seen(waits.handle(.timer, now: .seconds(60))) == [.refuse(1, .noTap)])
    }

    @Test("The number of waiting programs is bounded")
    func bounded() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        for number in 1...UInt64(LoginRendezvous.programLimit) {
            _ = machine.handle(asks(number), now: .zero)
        }
        #expect(seen(machine.handle(asks(99), now: .zero)) == [.refuse(99, .busy)])
    }

    @Test("At the agent's end programs fall back to their prompt and phones are told")
    func stops() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(asks(1, user: bob), now: .zero)
        _ = machine.handle(tap(7), now: .zero)
        #expect(seen(machine.stop()) == [.refuse(1, .agentFault), .answer(7, .boxFault)])
    }

    @Test("One greeter claims a tap, and its program is still served")
    func claimedOnce() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        #expect(machine.unclaimedUser == alice)
        let wrongUser = machine.claimTap(of: bob, now: .zero)
        let first = machine.claimTap(of: alice, now: .zero)
        let second = machine.claimTap(of: alice, now: .zero)
        #expect(!wrongUser && first && !second)
        #expect(machine.unclaimedUser == nil)
        #expect(
            seen(machine.handle(asks(1, user: alice, takeOnly: true), now: .seconds(1)))
                == [.deliver(1, tap: 7), .progress(7, .delivered)])
    }

    @Test("A tap whose time is over is nobody's to claim; a new one of the same phone is")
    func claimedInTime() {
        var machine = LoginRendezvous(holdTime: .seconds(30))
        _ = machine.handle(tap(7), now: .zero)
        let late = machine.claimTap(of: alice, now: .seconds(30))
        #expect(!late)
        _ = machine.claimTap(of: alice, now: .seconds(1))
        _ = machine.handle(tap(8), now: .seconds(2))
        let again = machine.claimTap(of: alice, now: .seconds(2))
        #expect(again)
    }
}
