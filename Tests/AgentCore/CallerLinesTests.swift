import ControlProtocol
import PAMProtocol
import Testing
import VaultPort
import World

@testable import AgentCore

@Suite("Lines of the log that people at the box cause")
struct CallerLinesTests {
    /// The most log lines: the person's own tokens, the user's shared tokens, and one line that reports the overrun.
    private static let limit = WriteBudget.own.burst + WriteBudget.shared.burst + 1
    private static let times = 1_000

    private var box = MachineBench(Bench { $0.elevation.services = ["sudo"] })

    /// Feeds `times` events, expects a reply to each, and returns the number of log lines.
    private mutating func lines(_ event: (ControlID, ProgramID) -> Event, _ answer: Answer? = nil) -> Int {
        var (lines, answered) = (0, 0)
        for number in 0..<UInt64(Self.times) {
            var said = box.feed(event(ControlID(number: number), ProgramID(number: number)))
            if let answer, let id = said.operations.first { said = box.answer(id, answer) }
            lines += said.lines.count
            answered += said.toControls.count + said.toPrograms.count
        }
        #expect(answered == Self.times)
        return lines
    }

    @Test("Refusals of enrol --self are lines up to a budget, whoever asks, and are counted then")
    mutating func selfEnrolments() {
        let asked: (ControlID, ProgramID) -> Event = { control, _ in
            let caller = Caller(uid: 1_000 + UInt32(control.number), pid: 79, daemonUID: 900)
            return .control(control, .asks(.enrolSelf(replacing: []), caller))
        }
        #expect(lines(asked, .elevationPlace(nil)) == Self.limit)
        box.now.sinceBoot += WriteBudget.own.interval
        #expect(lines(asked, .elevationPlace(nil)) == 2, "two more a minute")
    }

    @Test("Programs that get no credential are lines up to a budget of their service")
    mutating func refusedPrograms() {
        let su: (ControlID, ProgramID) -> Event = { _, program in
            .program(program, .asks(Sample.asks(service: "su"), Sample.root))
        }
        #expect(lines(su) == Self.limit)
        let misplaced: (ControlID, ProgramID) -> Event = { _, program in
            .program(program, .asks(Sample.asks(), Sample.root))
        }
        #expect(lines(misplaced, .seat(session: nil, Sample.behind)) >= WriteBudget.own.burst, "of login")
    }

    @Test("Elevations from where nobody stands are lines up to a budget of their service")
    mutating func misplacedElevations() {
        let sudo: (ControlID, ProgramID) -> Event = { _, program in
            .program(program, .asks(Sample.asks("alice", service: "sudo"), Sample.root))
        }
        #expect(lines(sudo, .elevationPlace(nil)) == Self.limit)
    }
}
