import PhoneMessages
import Testing
import VaultPort

private let boot = [UInt8](repeating: 1, count: 36)
private let now = BootMoment(boot: boot, nanoseconds: 1_000_000_000_000)

/// Returns a state without a lock-out.
private func used(_ count: Int, isLast: Bool = false) throws -> AttemptState {
    try #require(AttemptState(used: count, isLast: isLast, lockedUntil: nil))
}

/// Returns the state that is stored for an allowed try.
private func spent(_ policy: AttemptPolicy, _ state: AttemptState) throws -> AttemptState {
    guard case .spent(let spent) = policy.spend(state, now: now) else {
        Issue.record("no try of \(state) under \(policy)")
        return state
    }
    return spent
}

/// Every limit with every number of used tries. After a change of the limit, the number may exceed the limit.
private let pairs = AttemptPolicy.limits.flatMap { limit in (0..<10).map { (limit: limit, used: $0) } }

@Suite("The policy of a PIN's tries")
struct AttemptPolicyTests {
    @Test("A limit is 3 to 10; of other numbers the nearest is taken, and ten is the default")
    func bounds() {
        for (given, taken) in [(Int.min, 3), (0, 3), (2, 3), (3, 3), (7, 7), (10, 10), (11, 10), (Int.max, 10)] {
            #expect(AttemptPolicy(limit: given).limit == taken)
        }
        #expect(AttemptPolicy() == AttemptPolicy(limit: 10, delays: .none))
    }

    @Test("No limit leaves more than the air can say")
    func fitsTheAir() {
        #expect(AttemptPolicy.limits.upperBound == Int(PINRules.attempts))
    }

    @Test("What is left is the limit without what is used, and one at least", arguments: pairs)
    func left(limit: Int, used count: Int) throws {
        let expected = count < limit ? limit - count : 1
        #expect(AttemptPolicy(limit: limit).left(try used(count)) == UInt8(expected))
    }

    @Test("While the last try is made none is left, whatever the limit", arguments: pairs)
    func noneBehindTheLast(limit: Int, used count: Int) throws {
        #expect(AttemptPolicy(limit: limit).left(try used(count, isLast: true)) == 0)
    }

    @Test("A try adds one to what is used, and is the last exactly when one was left", arguments: pairs)
    func spending(limit: Int, used count: Int) throws {
        let policy = AttemptPolicy(limit: limit)
        let before = try used(count)
        let after = try spent(policy, before)
        #expect(after == (try used(count + 1, isLast: policy.left(before) == 1)))
    }

    @Test("A wrong PIN leaves one try less; the last one destroys", arguments: pairs)
    func wrong(limit: Int, used count: Int) throws {
        let policy = AttemptPolicy(limit: limit)
        let before = try used(count)
        let left = policy.left(before)
        #expect(policy.settleWrong(try spent(policy, before)) == (left <= 1 ? .exhausted : .left(left - 1)))
    }

    @Test("The right PIN gives every try of the limit, also as the last", arguments: pairs)
    func right(limit: Int, used count: Int) throws {
        let policy = AttemptPolicy(limit: limit)
        let settled = policy.settleRight(try spent(policy, try used(count)))
        #expect(settled == .fresh)
        #expect(policy.left(settled) == UInt8(limit))
    }

    @Test("A last try that nobody settled is no try again: what is left to do is to destroy", arguments: pairs)
    func exhausted(limit: Int, used count: Int) throws {
        for delays in AttemptDelays.allCases {
            let policy = AttemptPolicy(limit: limit, delays: delays)
            #expect(policy.spend(try used(count, isLast: true), now: now) == .exhausted)
        }
    }

    @Test("A limit that changes destroys nothing, gives nothing back, and leaves one try or what it allows")
    func changes() throws {
        for (limit, count) in pairs where count < limit {
            for other in AttemptPolicy.limits {
                let state = try used(count)
                let (before, after) = (AttemptPolicy(limit: limit), AttemptPolicy(limit: other))
                #expect(after.left(state) >= 1)
                #expect(Int(after.left(state)) <= max(1, other - count))
                // The first limit again restores the first count.
                #expect(before.left(state) == UInt8(limit - count))
            }
        }
    }

    @Test("A try that was the last when it was spent stays the last; one that was not destroys nothing")
    func changesMeanwhile() throws {
        for (limit, count) in pairs {
            let spent = try spent(AttemptPolicy(limit: limit), try used(count))
            for other in AttemptPolicy.limits {
                let answer = AttemptPolicy(limit: other).settleWrong(spent)
                #expect((answer == .exhausted) == spent.isLast, "\(limit), \(count) used, then \(other)")
            }
        }
    }

    @Test("More than ten used tries are nobody's, and the tenth is the last under every limit")
    func statesBounds() throws {
        for count in [Int.min, -1, 11, Int.max] {
            #expect(AttemptState(used: count, isLast: false, lockedUntil: nil) == nil)
        }
        #expect(try used(10).isLast)
        #expect(try used(10) == (try used(10, isLast: true)))
    }
}

@Suite("The policy of waits after wrong PINs")
struct AttemptDelayTests {
    private static let growing = AttemptPolicy(delays: .growing)

    @Test("Waits begin with the fifth wrong PIN and grow: 1, 5, 15, 15 and 60 minutes")
    func schedule() {
        #expect(
            (1...10).map { AttemptDelays.growing.seconds(after: $0) } == [0, 0, 0, 0, 60, 300, 900, 900, 3_600, 3_600])
        #expect((1...10).allSatisfy { AttemptDelays.none.seconds(after: $0) == 0 })
    }

    @Test("The wait is written down with the try, and not with the last, behind which nothing is", arguments: pairs)
    func spending(limit: Int, used count: Int) throws {
        let policy = AttemptPolicy(limit: limit, delays: .growing)
        let after = try spent(policy, try used(count))
        let seconds = Int64(AttemptDelays.growing.seconds(after: count + 1))
        let until = BootMoment(boot: boot, nanoseconds: now.nanoseconds + seconds * 1_000_000_000)
        #expect(after.lockedUntil == (after.isLast || seconds == 0 ? nil : until))
    }

    @Test("Until the wait is over no try is made and the state stays; begun seconds count whole")
    func waiting() throws {
        let end: Int64 = now.nanoseconds + 60_000_000_000
        let state = try #require(
            AttemptState(used: 5, isLast: false, lockedUntil: BootMoment(boot: boot, nanoseconds: end)))
        for (passed, seconds) in [(Int64(0), UInt32(60)), (1, 60), (59_000_000_000, 1), (59_999_999_999, 1)] {
            let then = BootMoment(boot: boot, nanoseconds: now.nanoseconds + passed)
            #expect(Self.growing.spend(state, now: then) == .lockedOut(seconds: seconds, state))
        }
        guard case .spent = Self.growing.spend(state, now: BootMoment(boot: boot, nanoseconds: end)) else {
            Issue.record("the wait is over")
            return
        }
    }

    @Test("After a reboot the whole wait begins anew")
    func reboot() throws {
        let state = try #require(
            AttemptState(used: 6, isLast: false, lockedUntil: BootMoment(boot: boot, nanoseconds: now.nanoseconds)))
        let other = BootMoment(boot: [2], nanoseconds: 5)
        let anew = try #require(
            AttemptState(
                used: 6, isLast: false, lockedUntil: BootMoment(boot: [2], nanoseconds: 300_000_000_005)))
        #expect(Self.growing.spend(state, now: other) == .lockedOut(seconds: 300, anew))
        #expect(Self.growing.spend(anew, now: other) == .lockedOut(seconds: 300, anew))
    }

    @Test("Where waits are off, one that was written down holds nobody up")
    func off() throws {
        let later = BootMoment(boot: boot, nanoseconds: .max)
        let state = try #require(AttemptState(used: 5, isLast: false, lockedUntil: later))
        #expect(try spent(AttemptPolicy(), state) == (try used(6)))
    }

    @Test("The right PIN ends every wait")
    func right() throws {
        let state = try spent(Self.growing, try used(7))
        #expect(state.lockedUntil != nil)
        #expect(Self.growing.settleRight(state).lockedUntil == nil)
    }
}
