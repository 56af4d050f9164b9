import Links

/// Chooses the demand for the next channel's carrier. Pure.
public struct DemandChoice: Sendable, Equatable {
    /// A channel for more bytes than this, in either direction, demands `.much`.
    static let littleBytes = 4_096
    /// A handshake that takes longer marks a `.little` carrier as slow. Its two messages have 96 and 48 bytes. Over GATT,
    /// it normally takes two connection intervals of about 30 ms.
    static let slowHandshake: Duration = .milliseconds(500)

    public private(set) var isSlow = false
    public init() {}

    /// Returns the demand for a channel that will carry this many bytes.
    func demand(for bytes: Int) -> LinkDemand {
        bytes > Self.littleBytes || isSlow ? .much : .little
    }

    /// Records the duration of a handshake, from message 1 to message 2.
    mutating func measured(_ handshake: Duration, over carrier: LinkDemand) {
        if carrier == .little { isSlow = handshake > Self.slowHandshake }
    }
}
