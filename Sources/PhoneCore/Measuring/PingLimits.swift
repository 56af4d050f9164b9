/// Bounds of a ping.
public enum PingLimits {
    /// The bytes of one ping.
    public static let size = 0...1_048_576
    /// The pings of one command.
    public static let count = 1...1_000
}
