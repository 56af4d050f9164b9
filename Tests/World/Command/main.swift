import Glibc
import World

let usage = """
    usage: boxagent-simulate [SEED [STEPS [SEEDS]]]
           boxagent-simulate digest SEED STEPS
           boxagent-simulate trace SEED STEPS

    So many steps of each of so many seeds, beginning with SEED; by default 5000 steps of seed 1. The first seed in which something
    does not hold is shortened and printed, and the status is 1. `digest` prints one number for all that happens in a seed, `trace` all of it.
    """

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "digest", words.count == 3, let seed = UInt64(words[1]), let steps = Int(words[2]) {
    print(Simulation.digest(seed, steps: steps))
    exit(0)
}
if words.first == "trace", words.count == 3, let seed = UInt64(words[1]), let steps = Int(words[2]) {
    for line in Simulation.play(seed, Array(0..<steps), isTraced: true).lines { print(line) }
    exit(0)
}
let numbers = words.compactMap { UInt64($0) }
guard numbers.count == words.count, numbers.count <= 3 else {
    print(usage)
    exit(64)
}
let given = numbers + [1, 5_000, 1].dropFirst(numbers.count)
exit(Simulation.run(from: given[0], steps: Int(clamping: given[1]), seeds: given[2]))
