/// Time limits of a phone's link (docs/decisions/003-noise-channel.md).
package enum LinkLimits {
    /// From the link to the second handshake message.
    package static let handshake: Duration = .seconds(5)
    /// From the handshake to the first transport message that decrypts.
    package static let halfOpen: Duration = .seconds(15)
    /// The same for a key that the vault does not know.
    package static let strangerHalfOpen: Duration = .seconds(3)
    /// A message before authentication, in bytes: a site document is the longest.
    package static let unauthenticatedMessageBytes = 1_024
    /// A message after it, in bytes.
    package static let messageBytes = 65_536
    /// Messages that wait to be sent to one phone; one more ends the channel.
    package static let outboxMessages = 32
    /// For the last words of a channel to leave: whoever does not take them is cut off.
    package static let farewell: Duration = .seconds(2)
    /// The same, when the agent stops.
    package static let farewellAtStop: Duration = .seconds(1)
}
