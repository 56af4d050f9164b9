import Links
import VaultPort

/// A box that a scan heard.
public struct SeenBox: Sendable, Equatable {
    public enum Standing: Sendable, Equatable {
        /// This phone is not enrolled at any box with these digits.
        case unknown
        /// The certificate is that of an enrolled box, or a box of the phone's site. (Only a channel proves the key.)
        case known(KnownBox)
        /// The box shows an enrolled box's digits but is another box.
        case other(IdentityProblem)
        /// The box shows an enrolled box's digits, and could not be identified.
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
