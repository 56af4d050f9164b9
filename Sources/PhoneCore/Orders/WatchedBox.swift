import VaultPort

/// The box at the other end of the watched channel.
public struct WatchedBox: Sendable, Equatable {
    public let box: KnownBox
    /// PIN attempts for what it holds, as it told last.
    public internal(set) var triesLeft: Int?
}
