import AuditLog
import Names
import VaultPort

/// A limit on what phones and people at the box may have written to disk: audit entries and lines of the journal.
///
/// Each payer has its own tokens, and all phones of one user share some more. A phone cannot use up another user's
/// tokens, or those of its owner's other phone. Writes over the budget are counted, and the count becomes one entry.
/// The log thus shows how much happened, but does not grow with it.
///
/// PIN tries are not counted here, because they end with the credential. Actions of an administrator and events that
/// occur once (enrolment, revocation, a wipe) are not counted either.
package struct WriteBudget {
    /// The party whose tokens pay for a write.
    package enum Payer: Hashable, Sendable {
        case device(DeviceID)
        /// A person at the box, by user name.
        case person([UInt8])
        /// Programs that any user of the box may start, by their PAM service.
        case program(service: [UInt8])
        /// All users of the box who run this command of `boxagent`.
        case anybody(command: String)
    }

    package enum Verdict: Equatable, Sendable {
        case allowed
        /// Over the budget for the first time: write one entry that says so.
        case firstOver
        case counted
    }

    /// The writes over the budget, for one entry.
    package struct Surplus: Equatable, Sendable {
        package let payer: Payer
        package let user: [UInt8]?
        /// Includes the write that returned `firstOver`.
        package let count: UInt64
        package let over: Duration
    }

    /// The most tokens, and the time in which one is restored.
    package struct Rate: Equatable, Sendable {
        package var burst: Int
        package var interval: Duration
    }

    /// A person causes about a hundred entries a day. Only a machine causes more than two a minute for long.
    package static let own = Rate(burst: 40, interval: .seconds(60))
    package static let shared = Rate(burst: 40, interval: .seconds(60))
    /// The time from the first counted write to the entry with the count.
    package static let countingTime: Duration = .seconds(600)
    /// Above this number of buckets, the full ones are forgotten. Devices, accounts and PAM services bound the rest.
    package static let tableLimit = 1_024

    private var buckets: [Payer: Bucket] = [:]
    private var users: [[UInt8]?: Bucket] = [:]
    private var surpluses: [Payer: Counting] = [:]

    package init() {}

    private struct Counting {
        let user: [UInt8]?
        let since: Duration
        var count: UInt64
    }

    /// The time at which a count is due.
    package var deadline: Duration? { surpluses.values.map(\.since).min().map { $0 + Self.countingTime } }

    /// The number of payers that are remembered.
    package var payerCount: Int { buckets.count }

    /// Decides about one durable write for `payer`, who is or belongs to `user`. Payers without a user share a bucket.
    package mutating func spend(_ payer: Payer, user: [UInt8]?, now: Duration) -> Verdict {
        if take(payer, user: user, now: now) { return .allowed }
        if surpluses[payer] != nil {
            surpluses[payer]?.count += 1
            return .counted
        }
        surpluses[payer] = Counting(user: user, since: now, count: 1)
        return .firstOver
    }

    /// Returns the counts that are due, or all counts if `all` is true.
    package mutating func settle(now: Duration, all: Bool = false) -> [Surplus] {
        let due = surpluses.filter { all || $0.value.since + Self.countingTime <= now }
        return due.map { payer, counting in
            surpluses[payer] = nil
            return Surplus(payer: payer, user: counting.user, count: counting.count, over: now - counting.since)
        }.sorted { $0.over > $1.over }
    }

    private mutating func take(_ payer: Payer, user: [UInt8]?, now: Duration) -> Bool {
        if buckets.count > Self.tableLimit { buckets = buckets.filter { !$0.value.isFull(Self.own, now: now) } }
        if users.count > Self.tableLimit { users = users.filter { !$0.value.isFull(Self.shared, now: now) } }
        if buckets[payer, default: Bucket(Self.own, now: now)].take(Self.own, now: now) { return true }
        return users[user, default: Bucket(Self.shared, now: now)].take(Self.shared, now: now)
    }

    /// Tokens that are restored one by one.
    private struct Bucket {
        private var tokens: Int
        /// The time at which `tokens` was correct.
        private var at: Duration

        init(_ rate: Rate, now: Duration) {
            tokens = rate.burst
            at = now
        }

        mutating func take(_ rate: Rate, now: Duration) -> Bool {
            refill(rate, now: now)
            guard tokens > 0 else { return false }
            tokens -= 1
            return true
        }

        func isFull(_ rate: Rate, now: Duration) -> Bool {
            var later = self
            later.refill(rate, now: now)
            return later.tokens == rate.burst
        }

        private mutating func refill(_ rate: Rate, now: Duration) {
            guard now > at else { return }
            let come = Int((now - at) / rate.interval)
            if come >= rate.burst - tokens {
                (tokens, at) = (rate.burst, now)
            } else {
                tokens += come
                at += rate.interval * come
            }
        }
    }
}

extension WriteBudget.Payer {
    package var device: DeviceID? {
        switch self {
        case .device(let device): device
        case .person, .program, .anybody: nil
        }
    }

    package var actor: AuditActor {
        switch self {
        case .device(let device): .phone(device)
        case .person(let user): AuditActor(kind: .person, name: user)
        case .program(let service): .program(service: service, terminal: nil)
        case .anybody: AuditActor(kind: .person)
        }
    }

    package var description: String {
        switch self {
        case .device(let device): "device \(device)"
        case .person(let user): "user \(LogText.text(user))"
        case .program(let service): "service \(LogText.text(service))"
        case .anybody(let command): "'boxagent \(command)'"
        }
    }
}
