/// Bounds of a ping.
public enum PingLimits {
    /// Bytes of one ping.
    public static let size = 0...1_048_576
    /// Pings of one command.
    public static let count = 1...1_000
}
