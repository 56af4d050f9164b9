/// How long box and server wait for each other.
public enum SiteLinkTimes {
    /// From the connection to the first message inside the channel. Ten thousand boxes may reconnect at once.
    public static let handshake: Duration = .seconds(15)
    /// Between two signed statuses if nothing else happens.
    public static let headInterval: Duration = .seconds(60)
    /// The longest time without a message: two signed statuses were missed.
    public static let silence: Duration = .seconds(150)
    /// The longest use of one channel. Then the box opens a new one, with a new certificate and perhaps to another
    /// server. The time is below `ChannelLimits.age`. Each box takes another value between `shortestUse` and this.
    public static let longestUse: Duration = .seconds(3_300)
    public static let shortestUse: Duration = .seconds(3_000)
    /// The last part of `longestUse`. In it the next signed status, which wakes the box anyway, ends the link.
    public static let lastHead: Duration = headInterval + .seconds(5)
}
