import PhoneCore
import VaultPort

/// How the phone's work is shown, and what only a person can decide.
public struct PhoneInteraction: Sendable {
    /// Told what happens, in order.
    public var progress: @Sendable (PhoneProgress) -> Void
    /// Which of several trusted boxes in range that show the same digits; nil: none of them.
    public var chooseBox: @Sendable ([KnownBox]) async -> KnownBox?

    public init(
        progress: @escaping @Sendable (PhoneProgress) -> Void = { _ in },
        chooseBox: @escaping @Sendable ([KnownBox]) async -> KnownBox? = { _ in nil }
    ) {
        self.progress = progress
        self.chooseBox = chooseBox
    }
}
