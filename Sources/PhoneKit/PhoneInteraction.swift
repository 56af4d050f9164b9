import PhoneCore
import VaultPort

/// Callbacks that show the phone's progress and ask the user for decisions.
public struct PhoneInteraction: Sendable {
    /// Called with each step of an operation, in order.
    public var progress: @Sendable (PhoneProgress) -> Void
    /// Chooses among trusted boxes in range that show the same digits. Returns nil to choose none.
    public var chooseBox: @Sendable ([KnownBox]) async -> KnownBox?
    /// Decides whether to send a doubtful stored credential again.
    public var sendAgain: @Sendable (KnownBox, PasswordDoubt) async -> Bool

    public init(
        progress: @escaping @Sendable (PhoneProgress) -> Void = { _ in },
        chooseBox: @escaping @Sendable ([KnownBox]) async -> KnownBox? = { _ in nil },
        sendAgain: @escaping @Sendable (KnownBox, PasswordDoubt) async -> Bool = { _, _ in false }
    ) {
        self.progress = progress
        self.sendAgain = sendAgain
        self.chooseBox = chooseBox
    }
}
