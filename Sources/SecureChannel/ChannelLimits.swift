/// Limits of time and messages for one channel. There is no rekeying: a new handshake follows.
public struct ChannelLimits: Sendable, Equatable {
    /// Data messages each way, at most 2^20.
    public let messagesEachWay: UInt64
    /// Age of the channel, at most one hour.
    public let age: Duration
    /// Time without a message either way.
    public let idle: Duration

    /// Larger values than the defaults of `messagesEachWay` and `age` are reduced to the defaults.
    public init(
        messagesEachWay: UInt64 = 1 << 20, age: Duration = .seconds(3_600), idle: Duration = .seconds(900)
    ) {
        self.messagesEachWay = min(messagesEachWay, 1 << 20)
        self.age = min(age, .seconds(3_600))
        self.idle = idle
    }
}
