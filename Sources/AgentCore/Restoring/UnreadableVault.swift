/// Decides what to do while the vault cannot name the owners of sessions. Pure; times are since boot.
///
/// After one failure the vault is asked again. If it keeps failing, the box locks every user's session once.
package struct UnreadableVault: Sendable {
    package static let firstPause: Duration = .seconds(1)
    package static let longestPause: Duration = .seconds(30)
    /// The time from the first failure to the lock.
    package static let patience: Duration = .seconds(60)

    package struct Reaction: Equatable, Sendable {
        /// The time of the next read, or nil if one is already arranged.
        package var retryAt: Duration?
        /// True if every user's session must be locked now.
        package var locks = false
    }

    private var failingSince: Duration?
    private var pause = Self.firstPause
    private var isRetryArranged = false
    private var hasLocked = false

    package init() {}

    package mutating func failed(now: Duration) -> Reaction {
        var reaction = Reaction()
        let since = failingSince ?? now
        failingSince = since
        if !hasLocked, now - since >= Self.patience {
            hasLocked = true
            reaction.locks = true
        }
        if !isRetryArranged {
            isRetryArranged = true
            reaction.retryAt = now + pause
            pause = min(pause * 2, Self.longestPause)
        }
        return reaction
    }

    /// Notes that the retry begins.
    package mutating func retries() {
        isRetryArranged = false
    }

    package mutating func worked() {
        self = UnreadableVault()
    }
}
