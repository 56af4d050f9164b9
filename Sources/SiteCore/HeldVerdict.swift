import Secrets
import SiteLink
import SiteTrust
import VaultPort

/// A phone and its credential in the database. The row is locked, so no other server changes either meanwhile.
public struct HeldRow: Sendable {
    /// The row number in the database.
    public let phone: Int64
    /// True if phone and owner have access.
    public let isActive: Bool
    public let groups: SiteGroups
    public let grant: ClaimedGrant
    /// The counter of the newest accepted request. A new request must have a higher counter.
    public let counter: UInt64
    /// Nil if none was stored, or if it was destroyed.
    public let credential: HeldCredential?
    /// True if the credential was destroyed, and none was stored since.
    public let wasWiped: Bool
    public let tries: HeldTries

    public init(
        phone: Int64, isActive: Bool, groups: SiteGroups, grant: ClaimedGrant, counter: UInt64,
        credential: HeldCredential?, wasWiped: Bool, tries: HeldTries
    ) {
        self.phone = phone
        self.isActive = isActive
        self.groups = groups
        self.grant = grant
        self.counter = counter
        self.credential = credential
        self.wasWiped = wasWiped
        self.tries = tries
    }
}

/// The PIN tries of a credential. Times are milliseconds of the database's clock, which all servers share.
public struct HeldTries: Sendable, Equatable {
    public let used: Int
    public let isLast: Bool
    public let lockedUntil: Int64?
    /// When the last try was spent.
    public let spentAt: Int64?

    /// Returns nil if `used` is not 0 to 10.
    public init?(used: Int, isLast: Bool, lockedUntil: Int64?, spentAt: Int64?) {
        guard (0...AttemptPolicy.limits.upperBound).contains(used) else { return nil }
        self.used = used
        self.isLast = isLast
        self.lockedUntil = lockedUntil
        self.spentAt = spentAt
    }

    private init(_ state: AttemptState, spentAt: Int64?) {
        used = state.used
        isLast = state.isLast
        lockedUntil = state.lockedUntil.map { $0.nanoseconds / Self.millisecond }
        self.spentAt = spentAt
    }

    private static let millisecond: Int64 = 1_000_000
    /// The database's clock counts as one boot that never ends. Once the clock was set back, earlier times belong to
    /// another boot.
    private static let clock: [UInt8] = [1]
    private static let clockSetBack: [UInt8] = [0]

    private static func moment(_ milliseconds: Int64, boot: [UInt8] = clock) -> BootMoment {
        BootMoment(boot: boot, nanoseconds: milliseconds.multipliedReportingOverflow(by: millisecond).partialValue)
    }

    /// Returns the tries as `AttemptPolicy` stores them. A wait that is longer than any new wait was stored before the
    /// clock was set back. The policy restarts such a wait, as after a boot.
    private func state(_ policy: AttemptPolicy, at now: Int64) -> AttemptState? {
        let longest = Int64(policy.delays.seconds(after: used)) * 1_000
        let until = lockedUntil.map { Self.moment($0, boot: $0 - now > longest ? Self.clockSetBack : Self.clock) }
        return AttemptState(used: used, isLast: isLast, lockedUntil: until)
    }

    enum Spending: Equatable {
        case spent(HeldTries)
        case lockedOut(seconds: UInt32, HeldTries)
        case exhausted
    }

    func spend(_ policy: AttemptPolicy, at now: Int64) -> Spending {
        guard let state = state(policy, at: now) else { return .exhausted }
        return switch policy.spend(state, now: Self.moment(now)) {
        case .spent(let next): .spent(HeldTries(next, spentAt: now))
        case .lockedOut(let seconds, let next): .lockedOut(seconds: seconds, HeldTries(next, spentAt: spentAt))
        case .exhausted: .exhausted
        }
    }

    /// Returns the tries left, which are 0 while the last one is being compared.
    func left(_ policy: AttemptPolicy) -> UInt8 { state(policy, at: 0).map(policy.left) ?? 0 }

    /// The tries after a correct PIN.
    static let fresh = HeldTries(.fresh, spentAt: nil)

    /// Returns the tries left after a wrong PIN. Returns nil after the last one: the credential must be destroyed.
    public func leftAfterWrong(_ policy: AttemptPolicy) -> UInt8? {
        guard let state = state(policy, at: 0), case .left(let left) = policy.settleWrong(state) else { return nil }
        return left
    }
}

/// The decision about a request, with the change to write before a PIN is compared.
public enum HeldVerdict: Sendable {
    /// Nothing is written. The outcome is the answer.
    case told(HeldAnswer.Outcome)
    /// The counter and a restarted wait are written. Then the outcome is the answer.
    case waits(HeldTries, HeldAnswer.Outcome)
    /// The spent try is written. Only then may the PIN be compared.
    case tries(HeldTries)
    /// The credential replaces the stored one.
    case stores
    /// All tries are spent, and the last one was wrong. The credential is destroyed.
    case wipes

    /// For how long a server may still be comparing the last try, in milliseconds.
    public static let lastTryLooks: Int64 = 60_000

    /// - Parameter now: The database's clock, in milliseconds since 1970.
    public static func judge(_ row: HeldRow?, _ wish: HeldWish, _ policy: AttemptPolicy, at now: Int64) -> HeldVerdict {
        guard let row, row.isActive, row.grant.facts.mode == .siteHeld, row.groups.meet(wish.box.groups),
            wish.request.counter > row.counter
        else { return .told(.refused) }
        if case .store = wish.request.action { return .stores }
        guard row.credential != nil else { return .told(row.wasWiped ? .wiped : .noCredential) }
        if case .tries = wish.request.action {
            let left = row.tries.left(policy)
            if left > 0 { return .told(.done(triesLeft: left)) }
        }
        switch row.tries.spend(policy, at: now) {
        case .spent(let tries): return .tries(tries)
        case .lockedOut(let seconds, let tries): return .waits(tries, .lockedOut(seconds: seconds))
        case .exhausted:
            // No further try is possible, but a server may still be comparing the last one, which may be right.
            let isLooking = row.tries.spentAt.map { now - $0 < lastTryLooks && now >= $0 } ?? false
            return isLooking ? .told(.notNow) : .wipes
        }
    }
}

/// The result of a try that was spent and compared.
public enum HeldTrial: Sendable {
    case right(HeldSecret)
    case changed(HeldCredential)
    case wrong(triesLeft: UInt8)
    /// The PIN was wrong, and the try was the last one.
    case exhausted

    /// - Parameter tries: The tries after this one was spent.
    public static func compare(
        _ wish: HeldWish, with credential: HeldCredential, _ tries: HeldTries, _ holding: SiteHolding
    ) -> HeldTrial {
        switch wish.request.action {
        case .open(let pinKey):
            if let opened = credential.open(pinKey: pinKey.bytes, phoneKey: wish.phoneKey, holding.keys) {
                return .right(opened)
            }
        case .changePIN(let old, let new):
            let changed = credential.changed(
                from: old.bytes, to: new.bytes, phoneKey: wish.phoneKey, holding.keys)
            if let changed { return .changed(changed) }
        case .tries, .store: break
        }
        return tries.leftAfterWrong(holding.policy).map { .wrong(triesLeft: $0) } ?? .exhausted
    }
}
