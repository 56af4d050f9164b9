/// Time limits of a phone's link (docs/decisions/003-noise-channel.md).
package enum LinkLimits {
    /// From the link to the second handshake message.
    package static let handshake: Duration = .seconds(5)
    /// From the handshake to the first transport message that decrypts.
    package static let halfOpen: Duration = .seconds(15)
    /// Like `halfOpen`, for a key that the vault does not know.
    package static let strangerHalfOpen: Duration = .seconds(3)
    /// The longest message before authentication, in bytes. A site document is the longest.
    package static let unauthenticatedMessageBytes = 1_024
    /// The longest message after authentication, in bytes.
    package static let messageBytes = 65_536
    /// The most messages that wait to be sent to one phone. One more ends the channel.
    package static let outboxMessages = 32
    /// The time for a channel's last words to leave. Then the link is cut.
    package static let farewell: Duration = .seconds(2)
    /// Like `farewell`, when the agent stops.
    package static let farewellAtStop: Duration = .seconds(1)
}
