import Links

/// What the next channel's radio is asked for. Pure.
public struct DemandChoice: Sendable, Equatable {
    /// From more bytes than this on, either way, it is much.
    static let littleBytes = 4_096
    /// A handshake over a carrier for little that took longer than this one is slow: there are 96 and 48 bytes in it, and
    /// over GATT it takes two connection intervals of some 30 ms where nothing is wrong.
    static let slowHandshake: Duration = .milliseconds(500)

    public private(set) var isSlow = false
    public init() {}

    /// For a channel that will carry so many bytes.
    func demand(for bytes: Int) -> LinkDemand {
        bytes > Self.littleBytes || isSlow ? .much : .little
    }

    /// How long a handshake took, from message 1 to message 2.
    mutating func measured(_ handshake: Duration, over carrier: LinkDemand) {
        if carrier == .little { isSlow = handshake > Self.slowHandshake }
    }
}
