import PhoneCore
import Secrets

/// Who hears of an errand, and answers what it asks a person.
struct ErrandListener: Sendable {
    var interaction: PhoneInteraction
    var unlock: (any VaultUnlock)?
    /// False: nobody watches any more.
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
