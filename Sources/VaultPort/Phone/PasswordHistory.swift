/// The results of earlier sends of a stored password, as far as the phone knows them.
public struct PasswordHistory: Sendable, Equatable {
    /// When the password was refused, in seconds since 1970; nil if it was never refused, or was accepted since.
    public let refusedAt: Int64?
    /// The sends in a row whose outcome is not known, at most `mostUnknown`.
    public let unknown: Int

    /// The count ends here.
    static let mostUnknown = 255

    public init(refusedAt: Int64? = nil, unknown: Int = 0) {
        self.refusedAt = refusedAt
        self.unknown = min(max(unknown, 0), Self.mostUnknown)
    }

    /// Returns the history after `note`, at that time in seconds since 1970.
    public func after(_ note: PasswordNote, at time: Int64) -> PasswordHistory {
        switch note {
        case .sent: PasswordHistory(refusedAt: refusedAt, unknown: unknown + 1)
        case .sentAgain: PasswordHistory(refusedAt: refusedAt, unknown: 1)
        case .notJudged: PasswordHistory(refusedAt: refusedAt, unknown: unknown - 1)
        case .accepted: PasswordHistory()
        case .refused: PasswordHistory(refusedAt: time)
        }
    }
}

/// An event in the life of a stored password. The vault counts, because two programs may send
/// the password at once.
public enum PasswordNote: UInt8, Sendable {
    /// The password is about to be sent: one unknown outcome more.
    case sent
    /// The password is sent after the person has allowed it. The count begins again at one.
    case sentAgain
    /// The last send is settled without a verdict on the password: one unknown outcome less.
    case notJudged
    /// The password was accepted or replaced. Nothing is held against it.
    case accepted
    /// The password was refused just now.
    case refused
}
