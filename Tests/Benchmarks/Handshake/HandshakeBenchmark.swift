import Glibc
import Secrets
import SecureChannel

/// Compares the CPU time of a handshake, both sides, with that of the libsodium operations inside it.
///
/// The two measurements alternate, so a change of the machine's speed affects both. The result is the median of the
/// rounds' ratios. The benchmark fails if the result exceeds 1.15.
@main
struct HandshakeBenchmark {
    private static let limit = 1.15
    private static let rounds = 301
    private static let handshakesPerRound = 8

    static func main() throws {
        let parties = try BenchmarkParties()
        var bare = BarePrimitiveSum()
        var (ratios, handshakeTimes, bareTimes): ([Double], [Duration], [Duration]) = ([], [], [])
        for round in 0..<rounds {
            // The order alternates as well, because the second measurement finds a warmer cache.
            if round % 2 == 0 {
                handshakeTimes.append(try time { try parties.handshake() })
                bareTimes.append(time { bare.run() })
            } else {
                bareTimes.append(time { bare.run() })
                handshakeTimes.append(try time { try parties.handshake() })
            }
            ratios.append(handshakeTimes[round] / bareTimes[round])
        }
        let ratio = median(ratios)
        print("handshake-cpu ratio=\(twoDecimals(ratio)) limit=\(twoDecimals(limit))")
        let (handshake, primitives) = (median(handshakeTimes), median(bareTimes))
        print("  handshake, both sides: \(microseconds(handshake)) us; bare primitives: \(microseconds(primitives)) us")
        if ratio > limit {
            print("  the handshake does more than its primitives: look for allocations and guarded memory in it")
            exit(1)
        }
    }

    private static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Duration {
        let start = cpuTime()
        for _ in 0..<handshakesPerRound {
            try body()
        }
        return cpuTime() - start
    }

    /// The CPU time of this thread, to which other programs do not add.
    private static func cpuTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func median<Value: Comparable>(_ values: [Value]) -> Value {
        values.sorted()[values.count / 2]
    }

    private static func twoDecimals(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    private static func microseconds(_ time: Duration) -> Int {
        Int((time / .microseconds(handshakesPerRound)).rounded())
    }
}
