/// Runs many seeds, and prints the shortest trace of a run that breaks an invariant.
public enum Simulation {
    /// The number of steps that should show every sight.
    static let stepsThatShowAll: UInt64 = 60_000

    /// Returns the exit status: 0 if all invariants held and, in a run that is long enough, every sight occurred.
    public static func run(from first: UInt64, steps: Int, seeds: UInt64) -> Int32 {
        var effects = 0
        var sights = Sights()
        for seed in first..<(first &+ seeds) {
            let world = play(seed, Array(0..<steps))
            effects += world.effects
            sights.add(world.sights)
            guard let violation = world.violation else { continue }
            print("seed \(seed): \(violation); shortening \(world.stepsTaken) steps")
            let kept = shorten(seed, Array(0..<world.stepsTaken), violation)
            let told = play(seed, kept, isTraced: true)
            for line in told.lines { print(line) }
            print("seed \(seed), \(kept.count) steps of \(steps): \(told.violation ?? violation)")
            print("again: make simulate SEED=\(seed) STEPS=\(steps)")
            return 1
        }
        for sight in Sight.allCases { print("\(sights.counts[sight] ?? 0) \(sight.rawValue)") }
        if !sights.unseen.isEmpty, UInt64(steps) * seeds >= stepsThatShowAll {
            print("not one of: \(sights.unseen.map(\.rawValue).joined(separator: ", "))")
            return 1
        }
        print("\(seeds) seeds of \(steps) steps from seed \(first), \(effects) effects: everything held")
        return 0
    }

    /// Returns a hash of everything that happened in a seed. The hash is the same in every process.
    public static func digest(_ seed: UInt64, steps: Int) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        // Leaves out lines with a dictionary, whose elements are printed in an order that differs between processes.
        for line in play(seed, Array(0..<steps), isTraced: true).lines where !line.contains("seats(") {
            // FNV-1a, 64 bits.
            for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return digest
    }

    /// Returns the world after the steps and after its end.
    public static func play(_ seed: UInt64, _ steps: [Int], isTraced: Bool = false) -> World {
        var world = World(seed: seed, isTraced: isTraced)
        for step in steps where world.violation == nil { world.step(step) }
        world.finish()
        return world
    }

    /// Leaves out steps as long as the same invariant breaks: halves, quarters, and so on to single steps.
    private static func shorten(_ seed: UInt64, _ steps: [Int], _ violation: String) -> [Int] {
        var kept = steps
        var size = max(1, kept.count / 2)
        while true {
            var index = 0
            while index < kept.count {
                let tried = Array(kept[..<index] + kept[min(kept.count, index + size)...])
                if play(seed, tried).violation.map({ similar($0, violation) }) ?? false {
                    kept = tried
                } else {
                    index += size
                }
            }
            guard size > 1 else { return kept }
            size /= 2
        }
    }

    /// Compares the first 30 letters, and ignores numbers.
    private static func similar(_ left: String, _ right: String) -> Bool {
        left.filter(\.isLetter).prefix(30) == right.filter(\.isLetter).prefix(30)
    }
}
