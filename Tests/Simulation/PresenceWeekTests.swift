import PhoneCore
import AgentCore
import TestSupport
import Testing

/// Runs a week of arrivals and departures through the agent's machine (docs/decisions/018-sessions.md).
@Suite("A simulated week beside a box")
struct PresenceWeekTests {
    static let weekSeeds: [UInt64] = [1, 2, .random(in: 0 ... .max)]
    /// The weeks of seed 1, one for each phone.
    private static let first = Result { try SimulatedPhone.all.map { try $0.week(seed: 1) } }

    @Test("No offer from beyond the threshold, no lock while the person sits there", arguments: weekSeeds)
    func week(seed: UInt64) throws {
        print("simulated week: seed \(seed)")
        for (number, phone) in SimulatedPhone.all.enumerated() {
            let week = try seed == 1 ? Self.first.get()[number] : phone.week(seed: seed)
            let comment: Comment = "seed \(seed), phone \(phone.name)"
            #expect(week.machine.nearFromBeyond == 0, comment)
            #expect(week.machine.locksWhileSeated == 0, comment)
            #expect(week.departures > 5, comment)
            #expect(week.departuresLocked == week.departures, comment)
        }
    }

    @Test("A single sample locks people who sit there, and takes the far for near")
    func singleSample() throws {
        for week in try Self.first.get() {
            #expect(week.singleSample.locksWhileSeated > 0)
            #expect(week.singleSample.nearFromBeyond > 0)
        }
    }

    @Test("The figures of docs/reference/proximity.md are those of the simulation")
    func document() throws {
        let lines = try ProximityDocument.figures()
        let made = try SimulatedPhone.table(seed: 1, Self.first.get())
        #expect(lines == made, "put this into docs/reference/proximity.md:\n\(made.joined(separator: "\n"))")
    }
}
