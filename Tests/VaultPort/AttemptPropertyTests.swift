import TestSupport
import Testing
import VaultPort

/// Checks that no order of events allows more wrong PINs in a row than the highest limit during that time.
@Suite("Whatever happens to a PIN's tries")
struct AttemptPropertyTests {
    private struct Secret {
        var state = AttemptState.fresh
        /// The number of PINs that were checked since the last correct one.
        var looks = 0
        /// The highest limit since the last correct PIN.
        var highest: Int
        var isDestroyed = false
    }

    @Test(
        "Wrong PINs, crashes, waits and limits that change give nobody a try more than the highest limit",
        arguments: seeds)
    func neverMore(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var policy = Self.policy(&random)
            var secret = Secret(highest: policy.limit)
            var now = BootMoment(boot: [0], nanoseconds: 0)
            for _ in 0..<60 where !secret.isDestroyed {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: policy = Self.policy(&random)
                case 1: now = BootMoment(boot: [UInt8.random(in: 0...255, using: &random)], nanoseconds: 0)
                default: now = BootMoment(boot: now.boot, nanoseconds: now.nanoseconds + 3_600_000_000_000)
                }
                secret.highest = max(secret.highest, policy.limit)
                Self.attempt(&secret, policy, now, &random)
                #expect(secret.looks <= secret.highest, "seed \(seed)")
                #expect(policy.left(secret.state) <= UInt8(policy.limit), "seed \(seed)")
            }
        }
    }

    private static func policy(_ random: inout SeededGenerator) -> AttemptPolicy {
        AttemptPolicy(
            limit: Int.random(in: AttemptPolicy.limits, using: &random),
            delays: Bool.random(using: &random) ? .growing : .none)
    }

    private static func attempt(
        _ secret: inout Secret, _ policy: AttemptPolicy, _ now: BootMoment, _ random: inout SeededGenerator
    ) {
        switch policy.spend(secret.state, now: now) {
        case .exhausted: secret.isDestroyed = true
        case .lockedOut(_, let state):
            // A wait does not change the count of tries.
            #expect((state.used, state.isLast) == (secret.state.used, false))
            secret.state = state
        case .spent(let spent):
            #expect(spent.used == secret.state.used + 1)
            secret.state = spent
            secret.looks += 1
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                secret = Secret(state: policy.settleRight(spent), highest: policy.limit)
            case 1: break  // A crash loses the answer.
            default:
                if policy.settleWrong(spent) == .exhausted { secret.isDestroyed = true }
            }
        }
    }
}
