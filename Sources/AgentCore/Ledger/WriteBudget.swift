import AuditLog
import Names
import VaultPort

/// How much phones, and people at the box, may have written to the disk: entries of the audit log, and lines of the journal.
///
/// Each has tokens of its own, and beyond those all phones of one user share some: one phone can neither use up another
/// user's, nor what its owner's other phone has for itself. What goes over is counted, and the count is written down as
/// one entry: the log says that there was more, and how much, and does not grow by it.
///
/// Not counted here: tries of PINs, which end with the credential; what an administrator does; what happens once
/// (enrolment, revocation, a wipe).
package struct WriteBudget {
    /// Who pays.
    package enum Payer: Hashable, Sendable {
        case device(DeviceID)
        /// A person at the box, by user name.
        case person([UInt8])
        /// Programs that any user of the box may start, by their PAM service.
        case program(service: [UInt8])
        /// All users of the box who type this command of `boxagent`.
        case anybody(command: String)
    }

    package enum Verdict: Equatable, Sendable {
        case allowed
        /// Over the budget, and nobody has written so yet: the one entry that says it begins now.
        case firstOver
        case counted
    }

    /// What went over, for one entry.
    package struct Surplus: Equatable, Sendable {
        package let payer: Payer
        package let user: [UInt8]?
        /// The one that `firstOver` told of included.
        package let count: UInt64
        package let over: Duration
    }

    /// Tokens at most, and the time after which one comes back.
    package struct Rate: Equatable, Sendable {
        package var burst: Int
        package var interval: Duration
    }

    /// Somebody who comes and goes all day makes some hundred entries; one who makes more than two a minute for long is no
    /// person.
    package static let own = Rate(burst: 40, interval: .seconds(60))
    package static let shared = Rate(burst: 40, interval: .seconds(60))
    /// How long is counted before the count is written down.
    package static let countingTime: Duration = .seconds(600)
    /// Full buckets are forgotten when there are more than this; who is enrolled bounds the others.
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

    /// When a count is due.
    package var deadline: Duration? { surpluses.values.map(\.since).min().map { $0 + Self.countingTime } }

    /// Payers that are remembered.
    package var payerCount: Int { buckets.count }

    /// May one durable write be made for `payer`, who is, or whose owner is, `user`? Payers without a user share as one user's do.
    package mutating func spend(_ payer: Payer, user: [UInt8]?, now: Duration) -> Verdict {
        if take(payer, user: user, now: now) { return .allowed }
        if surpluses[payer] != nil {
            surpluses[payer]?.count += 1
            return .counted
        }
        surpluses[payer] = Counting(user: user, since: now, count: 1)
        return .firstOver
    }

    /// The counts that are due, or all of them at the end.
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

    /// Tokens that come back one by one.
    private struct Bucket {
        private var tokens: Int
        /// When the tokens were as many as that.
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
