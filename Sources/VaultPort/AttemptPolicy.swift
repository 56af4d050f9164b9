/// How many tries a PIN has, and what a try makes of the state that is kept beside the secret.
///
/// Whoever keeps the state writes down what `spend` returns before it looks at the PIN, and what `settleRight` returns
/// afterwards; each only in place of the very state that was given in. A crash in between leaves the try spent.
public struct AttemptPolicy: Equatable, Sendable {
    /// The limits there may be. Attempts left go over the air as 0 to 10 (docs/reference/protocol.md, `attempts-left`).
    public static let limits = 3...10

    /// Wrong PINs in a row that destroy the secret, 3 to 10.
    public let limit: Int
    public let delays: AttemptDelays

    /// - Parameter limit: Of a number outside 3 to 10, the nearest of them is taken.
    public init(limit: Int = limits.upperBound, delays: AttemptDelays = .none) {
        self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
        self.delays = delays
    }

    /// What is left for the next try, at most `limit`. 0 while the last is being tried. A limit that was lowered under what
    /// is used already leaves one: no secret goes but by a wrong PIN.
    public func left(_ state: AttemptState) -> UInt8 {
        state.isLast ? 0 : UInt8(clamping: max(1, limit - state.used))
    }

    // MARK: - Before the PIN is looked at

    public enum Spending: Equatable, Sendable {
        /// The try may be made once this is written down.
        case spent(AttemptState)
        /// No try now. The state is another where the wait begins anew.
        case lockedOut(seconds: UInt32, AttemptState)
        /// No try is left, and the last was not right: the secret is to be destroyed.
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
        // How much of it passed before the reboot nobody knows: the whole wait begins anew.
        let seconds = delays.seconds(after: state.used)
        guard let until = now.later(bySeconds: seconds) else { return nil }
        return .lockedOut(
            seconds: seconds, AttemptState(checkedUsed: state.used, isLast: false, lockedUntil: until))
    }

    // MARK: - Afterwards

    /// What takes the spent state's place when the PIN was right.
    public func settleRight(_ state: AttemptState) -> AttemptState {
        .fresh
    }

    public enum WrongPIN: Equatable, Sendable {
        /// At least one; the spent state stays.
        case left(UInt8)
        /// It was the last: the secret is to be destroyed.
        case exhausted
    }

    /// - Parameter state: What `spend` made, under this policy or the one before it.
    public func settleWrong(_ state: AttemptState) -> WrongPIN {
        state.isLast ? .exhausted : .left(left(state))
    }
}

extension BootMoment {
    /// Nil for no seconds.
    fileprivate func later(bySeconds seconds: UInt32) -> BootMoment? {
        seconds == 0 ? nil : BootMoment(boot: boot, nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000)
    }
}
