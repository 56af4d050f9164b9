/// The reason why a channel ended: for our log, never for the peer.
package enum ChannelEnd: Error, Equatable, Sendable, CaseIterable {
    case linkClosed
    case handshakeTimedOut
    case handshakeMalformed
    case handshakeRefused
    case unknownDevice
    case unknownCode
    case tooManyAttempts
    case notAuthenticated
    case protocolViolation
    case outboxFull
    case expired
    case replaced
    case enrolmentRefused
    /// The grant that a phone of the site has shown does not admit it.
    case grantRefused
    /// The carried exchange between a phone and its site is finished, or took too long.
    case carryOver
    case revoked
    case agentStops
    case vaultUnavailable

    package var words: String { CaseWords.text(of: self) }

    /// True for a failure before authentication. Such failures are counted, but never stored.
    package var isUnauthenticated: Bool {
        switch self {
        case .handshakeTimedOut, .handshakeMalformed, .handshakeRefused, .unknownDevice, .unknownCode,
            .tooManyAttempts, .notAuthenticated:
            true
        default: false
        }
    }
}
