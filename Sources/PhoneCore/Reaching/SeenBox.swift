import Links
import VaultPort

/// A box that a scan heard.
public struct SeenBox: Sendable, Equatable {
    public enum Standing: Sendable, Equatable {
        /// This phone is not enrolled at any box with these digits.
        case unknown
        /// Its certificate is that of an enrolled box. (Only a login proves the key.)
        case known(KnownBox)
        /// It shows an enrolled box's digits but is another box.
        case other(IdentityProblem)
        /// It shows an enrolled box's digits, and could not be identified.
        case unreachable(LinkError)
    }

    /// Four to six digits.
    public let boxID: String
    /// In dBm; nil if the radio does not report it.
    public let rssi: Int?
    public let standing: Standing
    /// True if another box in range shows the same digits.
    public let hasDouble: Bool
}
