import Links
import VaultPort

/// A box that a scan heard.
public struct SeenBox: Sendable, Equatable {
    public enum Standing: Sendable, Equatable {
        /// This phone is not enrolled at any box with these digits.
        case unknown
        /// Its certificate is that of a box this phone is enrolled at. (Whether it holds the key as well, only a
        /// login shows.)
        case known(KnownBox)
        /// It shows the digits of a box that this phone is enrolled at, and is another.
        case other(IdentityProblem)
        /// It shows the digits of a box that this phone is enrolled at, and could not be asked.
        case unreachable(LinkError)
    }

    /// Four to six digits.
    public let boxID: String
    /// dBm, where the radio tells it.
    public let rssi: Int?
    public let standing: Standing
    /// Whether another box in range shows the same digits.
    public let hasDouble: Bool
}
