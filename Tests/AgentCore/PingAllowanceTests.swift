import Testing

@testable import AgentCore

@Suite("The pings that a box answers")
struct PingAllowanceTests {
    @Test("A burst is answered at once; then pings have the rate, however they come")
    func rate() {
        var allowance = PingAllowance()
        let start = Duration.seconds(1_000)
        let perBurst = PingAllowance.bytesPerSecond / (16_384 + PingAllowance.overheadBytes)
        for _ in 0..<perBurst {
            #expect(allowance.take(16_384, now: start) == start)
        }
        var last = start
        for _ in 0..<(10 * perBurst) {
            let due = allowance.take(16_384, now: start)
            #expect(due >= last)
            last = due
        }
        #expect(abs((last - start) / .seconds(1) - 10) < 0.1)
        // A quiet time restores the burst, and not more.
        let later = last + .seconds(100)
        for _ in 0..<perBurst {
            #expect(allowance.take(16_384, now: later) == later)
        }
        #expect(allowance.take(16_384, now: later) > later)
    }

    @Test("Empty pings are bounded as well")
    func empty() {
        var allowance = PingAllowance()
        let answeredAtOnce = (0..<10_000).filter { _ in allowance.take(0, now: .zero) == .zero }
        #expect(answeredAtOnce.count == PingAllowance.bytesPerSecond / PingAllowance.overheadBytes)
    }
}
