import Vault

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

/// What the phone is doing.
public enum PhoneProgress: Sendable, Equatable {
    case searching(boxID: String)
    case connecting(boxID: String)
    /// A box in range shows the digits and is not the one that is meant. Nothing was sent to it.
    case passedBy(boxID: String, IdentityProblem)
    /// The link broke; one more try.
    case retrying(boxID: String)
    /// L2CAP was wanted, and the box offers or takes no channel now: GATT is used.
    case withoutL2CAP(boxID: String)
    /// The channel stands.
    case connected(boxID: String)
    /// Six digits that the administrator's terminal must show as well, there as `123 456`.
    case compare(digits: String)
    case waitingForAdministrator
    case request(RequestProgress)
}
