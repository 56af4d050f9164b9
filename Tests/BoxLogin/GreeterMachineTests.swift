import ControlProtocol
import Testing

@testable import BoxLogin

@Suite struct GreeterMachineTests {
    private let alice = Array("alice".utf8)

    private func state(tap: [UInt8]? = nil, greeters: UInt64 = 1, works: Bool = true) -> GreeterState {
        GreeterState(
            boxID: "1234", radio: "bluez", radioWorks: works,
            radioState: works ? "advertising" : "no adapter", greeters: greeters, tapUser: tap)
    }

    /// Returns a greeter that is connected and has the agent's state.
    private func greeter(foreground: Bool?) -> GreeterMachine {
        var machine = GreeterMachine(now: .zero)
        _ = machine.handle(.foreground(foreground), now: .zero)
        _ = machine.handle(.timer, now: .zero)
        _ = machine.handle(.connected, now: .zero)
        _ = machine.handle(.told(state()), now: .zero)
        return machine
    }

    @Test("The first timer connects and a key always leads to typing")
    func theFirstTimerConnectsAndAKeyAlwaysLeadsToTyping() {
        var machine = GreeterMachine(now: .zero)
        let first = machine.handle(.timer, now: .zero)
        #expect(first == [.connect])
        let typed = machine.handle(.key, now: .zero)
        #expect(typed == [.logIn(nil)])
        let afterwards = machine.handle(.told(state(tap: alice)), now: .zero)
        #expect(afterwards.isEmpty)
    }

    @Test("A tap is claimed and then logs its user in") func aTapIsClaimedAndThenLogsItsUserIn() throws {
        var machine = greeter(foreground: true)
        let user = try #require(LoginUser(alice))
        let claim = machine.handle(.told(state(tap: alice)), now: .zero)
        #expect(claim == [.claim(user)])
        let login = machine.handle(.claimAnswered(true), now: .zero)
        #expect(login == [.logIn(user)])
    }

    @Test("A tap that another greeter has logs nobody in") func aTapThatAnotherGreeterHasLogsNobodyIn() {
        var machine = greeter(foreground: true)
        _ = machine.handle(.told(state(tap: alice)), now: .zero)
        _ = machine.handle(.told(state()), now: .zero)
        let refused = machine.handle(.claimAnswered(false), now: .zero)
        #expect(refused.isEmpty)
        let next = machine.handle(.told(state(tap: alice)), now: .seconds(1))
        #expect(next.contains { if case .claim = $0 { true } else { false } })
    }

    @Test("A greeter in the background acts only once it is shown") func aGreeterInTheBackgroundActsOnlyOnceItIsShown()
    {
        var machine = greeter(foreground: false)
        let hidden = machine.handle(.told(state(tap: alice)), now: .zero)
        #expect(hidden.isEmpty)
        let shown = machine.handle(.foreground(true), now: .zero)
        #expect(shown.contains { if case .claim = $0 { true } else { false } })
    }

    @Test("A greeter on no virtual terminal acts only when it is alone", arguments: [(UInt64(1), true), (2, false)])
    func aGreeterOnNoVirtualTerminalActsOnlyWhenItIsAlone(greeters: UInt64, acts: Bool) {
        var machine = greeter(foreground: nil)
        let actions = machine.handle(.told(state(tap: alice, greeters: greeters)), now: .zero)
        #expect(actions.contains { if case .claim = $0 { true } else { false } } == acts)
    }

    @Test("A name that login cannot take is shown and logs nobody in")
    func aNameThatLoginCannotTakeIsShownAndLogsNobodyIn() {
        var machine = greeter(foreground: true)
        let actions = machine.handle(.told(state(tap: Array("-f".utf8))), now: .zero)
        #expect(actions.allSatisfy { $0 == .draw })
        #expect(machine.view.notice?.contains("'-f'") == true)
        _ = machine.handle(.told(state()), now: .zero)
        #expect(machine.view.notice == nil)
    }

    @Test("An agent that is away is said and asked again each time later")
    func anAgentThatIsAwayIsSaidAndAskedAgainEachTimeLater() {
        var machine = greeter(foreground: true)
        var now = Duration.zero
        for delay in GreeterMachine.retryDelays + [.seconds(5)] {
            let lost = machine.handle(.lost(problem: "the agent is away", cure: "start it"), now: now)
            #expect(lost.first == .disconnect)
            #expect(machine.view.boxID == nil)
            #expect(machine.view.state == "The agent is away.")
            #expect(machine.deadline == now + delay)
            now += delay
            let retried = machine.handle(.timer, now: now)
            #expect(retried.contains(.connect))
        }
        _ = machine.handle(.connected, now: now)
        _ = machine.handle(.told(state()), now: now)
        #expect(machine.view.boxID == Array("1234".utf8))
    }

    @Test("An agent that takes the request and says nothing is away after five seconds")
    func anAgentThatTakesTheRequestAndSaysNothingIsAwayAfterFiveSeconds() {
        var machine = GreeterMachine(now: .zero)
        _ = machine.handle(.timer, now: .zero)
        _ = machine.handle(.connected, now: .zero)
        let early = machine.handle(.timer, now: .milliseconds(4_999))
        #expect(early.isEmpty)
        let late = machine.handle(.timer, now: .seconds(5))
        #expect(late.first == .disconnect)
    }

    @Test("The state of the radio is shown") func theStateOfTheRadioIsShown() {
        var machine = greeter(foreground: true)
        #expect(machine.view.state == "Bluetooth is on: advertising.")
        let actions = machine.handle(.told(state(works: false)), now: .zero)
        #expect(actions == [.draw])
        #expect(machine.view.state == "Bluetooth does not work: no adapter.")
    }
}
