import Testing

@testable import AgentCore

@Suite("A vault that does not say whose sessions are")
struct UnreadableVaultTests {
    @Test("It is asked again after 1, 2, 4, 8, 16, 30, 30 seconds, one retry at a time")
    func pauses() {
        var machine = UnreadableVault()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<7 {
            let reaction = machine.failed(now: now)
            let second = machine.failed(now: now)
            #expect(second.retryAt == nil)
            guard let next = reaction.retryAt else { break }
            pauses.append(next - now)
            now = next
            machine.retries()
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    }

    @Test("After a minute everybody is locked, once")
    func locks() {
        var machine = UnreadableVault()
        var locks: [Bool] = []
        for seconds in [100, 159, 160, 300] {
            locks.append(machine.failed(now: .seconds(seconds)).locks)
            machine.retries()
        }
        #expect(locks == [false, false, true, false])
    }

    @Test("A vault that works again has its minute anew")
    func works() {
        var machine = UnreadableVault()
        _ = machine.failed(now: .zero)
        machine.worked()
        let reaction = machine.failed(now: .seconds(90))
        #expect(!reaction.locks && reaction.retryAt == .seconds(91))
    }
}
