import PhoneCore
import Secrets

/// The listener of an operation, which also answers the questions to the user.
struct ErrandListener: Sendable {
    var interaction: PhoneInteraction
    var unlock: (any VaultUnlock)?
    /// Returns false to stop watching.
    var watch: (@Sendable (WatchEvent) async -> Bool)?
    var roundTrip: (@Sendable (Duration) -> Void)?
    var sample: (@Sendable (Int) async -> Void)?

    init(
        _ interaction: PhoneInteraction = PhoneInteraction(), unlock: (any VaultUnlock)? = nil,
        watch: (@Sendable (WatchEvent) async -> Bool)? = nil, roundTrip: (@Sendable (Duration) -> Void)? = nil,
        sample: (@Sendable (Int) async -> Void)? = nil
    ) {
        self.interaction = interaction
        self.unlock = unlock
        self.watch = watch
        self.roundTrip = roundTrip
        self.sample = sample
    }
}
