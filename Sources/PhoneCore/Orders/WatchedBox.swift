import VaultPort

/// The box at the other end of the watched channel.
public struct WatchedBox: Sendable, Equatable {
    public let box: KnownBox
    /// The PIN attempts left for the stored credential, from the box's last state.
    public internal(set) var triesLeft: Int?
}
