/// Time limits of a phone's link (docs/decisions/003-noise-channel.md).
enum LinkLimits {
    /// From the link to the second handshake message.
    static let handshake: Duration = .seconds(5)
    /// From the handshake to the first transport message that decrypts.
    static let halfOpen: Duration = .seconds(15)
    /// A message before authentication, in bytes.
    static let unauthenticatedMessageBytes = 512
    /// A message after it, in bytes.
    static let messageBytes = 65_536
    /// Messages that wait to be sent to one phone; one more ends the channel.
    static let outboxMessages = 32
    /// For the last words of a channel to leave: whoever does not take them is cut off.
    static let farewell: Duration = .seconds(2)
    /// The same, when the agent stops.
    static let farewellAtStop: Duration = .seconds(1)
}
