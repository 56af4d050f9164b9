import VaultPort

/// The reason to ask the person before the stored password is sent.
public enum PasswordDoubt: Sendable, Equatable {
    /// The password was refused at that time, in seconds since 1970.
    case refused(at: Int64)
    /// It is not known whether the password was accepted the last `unknownLimit` times.
    case unknown

    /// The sends in a row with an unknown outcome before the phone asks. Accounts are locked after three wrong
    /// passwords or more (docs/decisions/031-phone-core.md).
    static let unknownLimit = 2

    init?(_ history: PasswordHistory) {
        if let time = history.refusedAt {
            self = .refused(at: time)
        } else if history.unknown >= Self.unknownLimit {
            self = .unknown
        } else {
            return nil
        }
    }
}
