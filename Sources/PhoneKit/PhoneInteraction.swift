import PhoneCore
import VaultPort

/// How the phone's work is shown, and what only a person can decide.
public struct PhoneInteraction: Sendable {
    /// Told what happens, in order.
    public var progress: @Sendable (PhoneProgress) -> Void
    /// Which of several trusted boxes in range that show the same digits; nil: none of them.
    public var chooseBox: @Sendable ([KnownBox]) async -> KnownBox?
    /// Whether to send again what is stored for a box, which was refused at that time, in seconds since 1970.
    public var sendAgain: @Sendable (KnownBox, Int64) async -> Bool

    public init(
        progress: @escaping @Sendable (PhoneProgress) -> Void = { _ in },
        chooseBox: @escaping @Sendable ([KnownBox]) async -> KnownBox? = { _ in nil },
        sendAgain: @escaping @Sendable (KnownBox, Int64) async -> Bool = { _, _ in false }
    ) {
        self.progress = progress
        self.sendAgain = sendAgain
        self.chooseBox = chooseBox
    }
}
