import TestSupport
import Testing
import World

@Suite("A box with everybody around it")
struct WorldTests {
    @Test("Whatever phones, programs, sessions, administrators and crashes do, what must hold holds", arguments: seeds)
    func holds(seed: UInt64) {
        let world = Simulation.play(seed, Array(0..<2_000))
        #expect(world.violation == nil, "make simulate SEED=\(seed) STEPS=2000")
    }

    @Test("A seed does the same each time")
    func repeats() {
        #expect(Simulation.digest(7, steps: 1_000) == Simulation.digest(7, steps: 1_000))
        #expect(Simulation.digest(7, steps: 1_000) != Simulation.digest(8, steps: 1_000))
    }
}
