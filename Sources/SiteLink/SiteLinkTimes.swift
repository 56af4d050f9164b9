/// How long box and server wait for each other.
public enum SiteLinkTimes {
    /// The time from connection to first message inside the channel. Ten thousand boxes may reconnect at once.
    public static let handshake: Duration = .seconds(15)
    /// The time between two signed statuses if nothing else happens.
    public static let headInterval: Duration = .seconds(60)
    /// The longest time without a message: two signed statuses were missed.
    public static let silence: Duration = .seconds(150)
    /// The longest use of one channel, below `ChannelLimits.age`. Then the box opens a new channel, with a new
    /// certificate and perhaps to another server. Each box picks its own time between `shortestUse` and this limit.
    public static let longestUse: Duration = .seconds(3_300)
    public static let shortestUse: Duration = .seconds(3_000)
    /// The last part of a channel's use. A signed status in this time, which wakes the box anyway, ends the link.
    public static let lastHead: Duration = headInterval + .seconds(5)
}
