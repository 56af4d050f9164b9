import AgentConfiguration
import ControlProtocol
import Links
import Testing

@testable import AgentCore

@Suite("A box whose state is another machine's, or is lost at a restart")
struct BoxPlaceTests {
    private static let fault = BoxPlace.foreign("/var/lib/boxagent")

    private func machine(_ place: BoxPlace) -> MachineBench {
        var bench = Bench()
        bench.policy = Policy(Configuration(), boxID: Array("1128".utf8), place: place)
        return MachineBench(bench)
    }

    @Test("A program falls back to typed passwords at once, and the log says why")
    func program() {
        var box = machine(BoxPlace(foreign: Self.fault))
        _ = box.feed(.started)
        let asked = box.feed(.program(Sample.program(), .asks(Sample.asks(), Sample.root)))
        #expect(asked.toPrograms == [.refused(.agentFault)] && asked.operations.isEmpty)
        let logged = asked.effects.contains {
            if case .log(let line) = $0 { line.text.hasSuffix(Self.fault.problem) } else { false }
        }
        #expect(logged, "\(asked.effects)")
    }

    @Test("No code is shown, no site is joined or left, and each command says why and what to do")
    func commands() {
        var box = machine(BoxPlace(foreign: Self.fault))
        let wish = EnrolmentWish(user: Array("alice".utf8), label: "", credential: .phoneHeld, isConfirmed: false)
        let requests: [ControlEvent] = [
            .asks(.enrol(wish), Sample.root), .asks(.enrolSelf(replacing: []), Sample.person),
            .asks(.testLogin(user: nil, waitSeconds: 5), Sample.root), .asks(.leaveSite, Sample.root),
            .joins(Sample.secret()), .asks(.importSite(part: [], isLast: true), Sample.root),
        ]
        for request in requests {
            let said = box.feed(.control(Sample.control(), request))
            #expect(
                said.toControls == [.failure(.fault, what: Self.fault.problem, cure: Self.fault.cure)],
                "\(request)")
            #expect(said.operations.isEmpty)
        }
    }

    @Test("It takes up no session, deadline or site of the other machine, and hears nothing of logind")
    func sessions() {
        var box = machine(BoxPlace(foreign: Self.fault))
        for event in [Event.started, .logind(.available)] {
            let said = box.feed(event)
            #expect(said.commands.isEmpty && said.operations.isEmpty, "\(said.effects)")
        }
        #expect(machineTakesUp(), "a box on its own machine does")
    }

    @Test("It delays no sleep of the machine, and says of the site why it does not know it")
    func sleep() {
        var box = machine(BoxPlace(foreign: Self.fault))
        _ = box.feed(.started)
        let said = box.feed(.logind(.sleeping))
        let allowed = said.effects.count { if case .allowSleep = $0 { true } else { false } }
        #expect(allowed == 1 && said.commands.isEmpty, "\(said.effects)")
        #expect(box.machine.siteRefusal == .failure(.fault, what: Self.fault.problem, cure: Self.fault.cure))
    }

    private func machineTakesUp() -> Bool {
        var box = machine(BoxPlace())
        return !box.feed(.started).operations.isEmpty
    }

    @Test("Greeters show no digits, which are another box's, and the reason")
    func greeters() throws {
        var box = machine(BoxPlace(foreign: Self.fault))
        _ = box.feed(.radio(.faulty(Self.fault)))
        let said = box.feed(.control(Sample.control(), .asks(.greet(terminal: []), Sample.root)))
        let states = said.toControls.compactMap { if case .greeter(let state) = $0 { state } else { nil } }
        let state = try #require(states.first)
        #expect(state.boxID.isEmpty && !state.radioWorks && state.radioState == Self.fault.problem)
    }

    @Test("Before a phone is enrolled, the administrator reads that a restart loses it")
    func loss() {
        let loss = BoxPlace.lossText("/var/lib/boxagent", "tmpfs")
        let wish = EnrolmentWish(user: Array("alice".utf8), label: "", credential: .phoneHeld, isConfirmed: false)
        for place in [BoxPlace(loss: loss), BoxPlace()] {
            var box = machine(place)
            let notices: [ControlReply] = place.loss.map { [.notice(text: $0)] } ?? []
            #expect(box.feed(.control(Sample.control(), .asks(.enrol(wish), Sample.root))).toControls == notices)
            let own = box.feed(.control(Sample.control(2), .asks(.enrolSelf(replacing: []), Sample.person)))
            #expect(own.toControls == notices)
        }
    }
}
