import Names
import Testing
import VaultPort

@testable import AgentCore

/// Runs in virtual time.
@Suite("The budget of durable writes")
struct WriteBudgetTests {
    private let ada = Array("ada".utf8)
    private let bob = Array("bob".utf8)
    private let phone = WriteBudget.Payer.device(DeviceID())
    private let other = WriteBudget.Payer.device(DeviceID())
    private let start = Duration.seconds(1_000)

    /// The most that one payer may write at once: its own tokens, and all tokens that its user's payers share.
    private let burst = WriteBudget.own.burst + WriteBudget.shared.burst

    private func spend(
        _ count: Int, _ budget: inout WriteBudget, _ payer: WriteBudget.Payer, _ user: [UInt8]?, at now: Duration
    ) -> [WriteBudget.Verdict] {
        (0..<count).map { _ in budget.spend(payer, user: user, now: now) }
    }

    @Test("What goes over is written down once, then counted, and the count comes as one")
    func over() {
        var budget = WriteBudget()
        #expect(spend(burst, &budget, phone, ada, at: start).allSatisfy { $0 == .allowed })
        #expect(budget.deadline == nil)
        let verdicts = spend(8_933, &budget, phone, ada, at: start)
        #expect(verdicts.first == .firstOver && verdicts.dropFirst().allSatisfy { $0 == .counted })
        let due = start + WriteBudget.countingTime
        #expect(budget.deadline == due)
        #expect(budget.settle(now: due - .milliseconds(1)).isEmpty)
        let surplus = WriteBudget.Surplus(payer: phone, user: ada, count: 8_933, over: WriteBudget.countingTime)
        #expect(budget.settle(now: due) == [surplus])
        #expect(budget.deadline == nil && budget.settle(now: due).isEmpty)
    }

    @Test("At the end everything that was counted is told, due or not")
    func end() {
        var budget = WriteBudget()
        _ = spend(burst + 3, &budget, phone, ada, at: start)
        #expect(budget.settle(now: start + .seconds(1), all: true).map(\.count) == [3])
    }

    @Test("A phone that uses up everything leaves its owner's other phone what it has for itself, and others all")
    func others() {
        var budget = WriteBudget()
        _ = spend(10_000, &budget, phone, ada, at: start)
        #expect(spend(WriteBudget.own.burst, &budget, other, ada, at: start).allSatisfy { $0 == .allowed })
        #expect(budget.spend(other, user: ada, now: start) == .firstOver)
        let stranger = WriteBudget.Payer.device(DeviceID())
        #expect(spend(burst, &budget, stranger, bob, at: start).allSatisfy { $0 == .allowed })
        #expect(spend(WriteBudget.own.burst, &budget, .person(ada), ada, at: start).allSatisfy { $0 == .allowed })
        #expect(budget.settle(now: start, all: true).map(\.payer.device).count == 2)
    }

    @Test("Tokens come back one by one, never more than there were, and none by a clock that goes back")
    func refill() {
        var budget = WriteBudget()
        _ = spend(burst + 1, &budget, phone, ada, at: start)
        let interval = WriteBudget.own.interval
        #expect(budget.spend(phone, user: ada, now: start + interval - .nanoseconds(1)) == .counted)
        // After one interval, the phone has one own token and one shared token again.
        #expect(spend(3, &budget, phone, ada, at: start + interval) == [.allowed, .allowed, .counted])
        #expect(budget.spend(phone, user: ada, now: start) == .counted)
        let later = start + .seconds(86_400 * 365)
        #expect(spend(burst + 1, &budget, phone, ada, at: later).count { $0 == .allowed } == burst)
    }

    @Test("However fast a phone asks, a day's entries are bounded")
    func day() {
        var budget = WriteBudget()
        var written = 0
        var told: UInt64 = 0
        var refused: UInt64 = 0
        for second in 0..<86_400 {
            let now = start + .seconds(second)
            for _ in 0..<5 {
                switch budget.spend(phone, user: ada, now: now) {
                case .allowed: written += 1
                case .firstOver:
                    written += 1
                    refused += 1
                case .counted: refused += 1
                }
            }
            let settled = budget.settle(now: now)
            written += settled.count
            told += settled.reduce(0) { $0 + $1.count }
        }
        told += budget.settle(now: start + .seconds(86_400), all: true).reduce(0) { $0 + $1.count }
        #expect(told == refused)
        // Each of two buckets gets one token a minute. Every ten minutes of counting add two entries.
        #expect(written <= burst + 2 * 1_440 + 2 * 145)
        #expect(written >= 2 * 1_440)
    }

    @Test("Who has not written for long is forgotten, so that the table stays small; nobody's count is")
    func table() {
        var budget = WriteBudget()
        _ = spend(burst + 7, &budget, phone, ada, at: start)
        for number in 0..<5_000 {
            let user = Array("user\(number)".utf8)
            let now = start + .seconds(number)
            #expect(budget.spend(.device(DeviceID()), user: user, now: now) == .allowed)
        }
        #expect(budget.payerCount <= WriteBudget.tableLimit + 1)
        #expect(budget.settle(now: start + .seconds(5_000)).map(\.count) == [7])
    }
}
