/// The number of tries of a PIN, and the effect of a try on the state that is stored beside the secret.
///
/// The keeper of the state stores the result of `spend` before it checks the PIN, and that of `settleRight` afterwards.
/// Each replaces only the exact state that was passed in. A crash in between leaves the try spent.
public struct AttemptPolicy: Equatable, Sendable {
    /// The permitted limits. The protocol sends attempts left as 0 to 10 (docs/reference/protocol.md, `attempts-left`).
    /// A lower upper bound needs a migration of box and site: stored counts above it are read as damaged.
    public static let limits = 3...10

    /// Number of wrong PINs in a row that destroy the secret, 3 to 10.
    public let limit: Int
    public let delays: AttemptDelays

    /// - Parameter limit: A number outside 3 to 10 is replaced by the nearest one inside.
    public init(limit: Int = limits.upperBound, delays: AttemptDelays = .none) {
        self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
        self.delays = delays
    }

    /// Returns the number of tries left, at most `limit`; 0 while the last try runs. If the limit was lowered below the
    /// used tries, one is left: only a wrong PIN destroys a secret.
    public func left(_ state: AttemptState) -> UInt8 {
        state.isLast ? 0 : UInt8(clamping: max(1, limit - state.used))
    }

    // MARK: - Before the PIN is checked

    public enum Spending: Equatable, Sendable {
        /// The try may run once this state is stored.
        case spent(AttemptState)
        /// No try is allowed now. The state differs if the wait starts again.
        case lockedOut(seconds: UInt32, AttemptState)
        /// No try is left, and the last PIN was wrong: the secret must be destroyed.
        case exhausted
    }

    public func spend(_ state: AttemptState, now: BootMoment) -> Spending {
        guard !state.isLast else { return .exhausted }
        if let wait = wait(state, now: now) { return wait }
        let used = state.used + 1
        let isLast = used >= limit
        return .spent(
            AttemptState(
                checkedUsed: used, isLast: isLast,
                lockedUntil: isLast ? nil : now.later(bySeconds: delays.seconds(after: used))))
    }

    private func wait(_ state: AttemptState, now: BootMoment) -> Spending? {
        guard delays != .none, let until = state.lockedUntil else { return nil }
        if until.boot == now.boot {
            guard until.nanoseconds > now.nanoseconds else { return nil }
            let seconds = (until.nanoseconds - now.nanoseconds - 1) / 1_000_000_000 + 1
            return .lockedOut(seconds: UInt32(clamping: seconds), state)
        }
        // The part of the wait that passed before the reboot is unknown, so the whole wait starts again.
        let seconds = delays.seconds(after: state.used)
        guard let until = now.later(bySeconds: seconds) else { return nil }
        return .lockedOut(
            seconds: seconds, AttemptState(checkedUsed: state.used, isLast: false, lockedUntil: until))
    }

    // MARK: - Afterwards

    /// Returns the state that replaces the spent state after a right PIN.
    public func settleRight(_ state: AttemptState) -> AttemptState {
        .fresh
    }

    public enum WrongPIN: Equatable, Sendable {
        /// The number of tries left, at least one; the spent state stays.
        case left(UInt8)
        /// That was the last try: the secret must be destroyed.
        case exhausted
    }

    /// - Parameter state: The result of `spend`, under this policy or the previous one.
    public func settleWrong(_ state: AttemptState) -> WrongPIN {
        state.isLast ? .exhausted : .left(left(state))
    }
}

extension BootMoment {
    /// Returns nil for zero seconds.
    fileprivate func later(bySeconds seconds: UInt32) -> BootMoment? {
        seconds == 0 ? nil : BootMoment(boot: boot, nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000)
    }
}
