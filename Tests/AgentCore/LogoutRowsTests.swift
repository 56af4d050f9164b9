import AgentConfiguration
import Names
import TestSupport
import Testing
import VaultPort

@testable import AgentCore

/// Compares the vault's rows with the right deadlines, while phones, budgets and the vault behave at random.
@Suite("Deadlines in the vault, whatever happens")
struct LogoutRowsTests {
    private struct World {
        var bench = LogoutsBench()
        var rows: [DeviceID: Duration] = [:]
        /// Answers for operations that the vault has finished, before the component hears them.
        var unsaid: [(OperationID, Answer)] = []
        var worksAlways = false
        var generator: SeededGenerator
        let devices = (1...3).map(testDevice)

        init(seed: UInt64) {
            generator = SeededGenerator(seed: seed)
        }

        mutating func step(_ body: (inout Logouts, inout Output) -> Void) {
            var out = Output(now: Moment(sinceBoot: .seconds(bench.now)), policy: bench.policy)
            body(&bench.room, &out)
            while let fact = out.nextFact() {
                guard case .ledger(.wantsToWrite(_, let device, _)) = fact else { continue }
                bench.room.mayWrite(device, chance(2), &out)
            }
            for case .vault(let id, .setDeadline(let device, let at)) in out.inOrder() {
                let works = worksAlways || !chance(4)
                if works { rows[device] = at }
                unsaid.append((id, .vault(works ? .done : .failed(.diskFull))))
            }
        }

        mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

        mutating func hear() {
            while !unsaid.isEmpty {
                let (id, answer) = unsaid.removeFirst()
                step { $0.answered(id, answer, &$1) }
            }
        }

        mutating func happen() {
            bench.now += Int.random(in: 0...20, using: &generator)
            step { $0.timeHasCome(&$1) }
            let device = devices[Int.random(in: 0..<3, using: &generator)]
            let key = SessionKey.logind(device.bytes)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                let sheet = chance(3) ? nil : DeviceSheet(device: device.bytes[0], autoLogout: 900)
                let isHere = chance(2)
                step {
                    $0.sessionTracked(
                        key, by: device, user: [], since: $1.time, extensions: 0, sheet: sheet, isHere: isHere, &$1)
                }
            case 1: step { $0.sessionEnded(key, &$1) }
            case 2:
                let seconds = [0, 60, 900, 7_200].randomElement(using: &generator) as UInt32?
                step { $0.awayTimeSet(DeviceSheet(device: device.bytes[0], autoLogout: seconds), &$1) }
            case 3:
                rows[device] = nil
                step { $0.barred([device], &$1) }
            case 4: step { $0.budgetSettled(device, &$1) }
            case 5, 6: step { $0.counted(device, asHere: false, &$1) }
            case 7, 8: step { $0.counted(device, asHere: true, &$1) }
            default: hear()
            }
        }

        mutating func settle() {
            worksAlways = true
            hear()
            for _ in 0..<3 {
                if let due = bench.room.rows.deadline {
                    bench.now = max(bench.now, Int(due.components.seconds))
                    step { $0.timeHasCome(&$1) }
                }
                hear()
                for device in devices { step { $0.budgetSettled(device, &$1) } }
            }
            hear()
        }
    }

    @Test(
        "No session is left without its deadline, or with a later one; in the end the right one stands",
        arguments: seeds)
    func rows(seed: UInt64) {
        var world = World(seed: seed)
        for round in 0..<300 {
            world.happen()
            guard round % 10 == 9 else { continue }
            world.hear()
            guard world.bench.room.unwritten.isEmpty else { continue }
            for device in world.devices {
                guard let deadline = world.bench.room.schedule.awayDeadline(of: device) else { continue }
                #expect(world.rows[device].map { $0 <= deadline } == true, "seed \(seed), round \(round)")
            }
        }
        world.settle()
        for device in world.devices {
            #expect(world.rows[device] == world.bench.room.schedule.awayDeadline(of: device), "seed \(seed)")
        }
    }
}
