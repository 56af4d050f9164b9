/// How long box and server wait for each other.
public enum SiteLinkTimes {
    /// From the connection to the first message inside the channel. Ten thousand boxes may come back at once.
    public static let handshake: Duration = .seconds(15)
    /// Between two heads, when nothing else happens.
    public static let headInterval: Duration = .seconds(60)
    /// Without a message: two heads were missed.
    public static let silence: Duration = .seconds(150)
    /// How long one channel is used, before the box begins a new one: it gets a new certificate, and may meet another server.
    /// Less than `ChannelLimits.age`, and different for each box: between this and `shortestUse`.
    public static let longestUse: Duration = .seconds(3_300)
    public static let shortestUse: Duration = .seconds(3_000)
    /// The part of `longestUse` in which a box waits for the next head to end the link with, which wakes it anyway.
    public static let lastHead: Duration = headInterval + .seconds(5)
}
