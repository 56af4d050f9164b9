/// What is done while the vault cannot say whose sessions are. Pure; times are since boot.
///
/// A vault that fails once is asked again; one that goes on failing leaves the box without the knowledge by which it locks
/// and logs out, so that everybody is locked once.
package struct UnreadableVault: Sendable {
    package static let firstPause: Duration = .seconds(1)
    package static let longestPause: Duration = .seconds(30)
    /// From the first failure to the lock.
    package static let patience: Duration = .seconds(60)

    package struct Reaction: Equatable, Sendable {
        /// When to ask again; nil while that is arranged already.
        package var retryAt: Duration?
        /// Every person's session is to be locked now.
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

    /// The retry begins.
    package mutating func retries() {
        isRetryArranged = false
    }

    package mutating func worked() {
        self = UnreadableVault()
    }
}
