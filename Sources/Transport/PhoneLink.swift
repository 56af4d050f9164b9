import Links

/// A link between a phone and a box, as either side sees it: an unreliable carrier of segments.
///
/// Segments may arrive out of order or be lost; `SegmentedLink` makes messages of them.
public protocol PhoneLink: AnyObject, Sendable {
    /// What the handshake's prologue says of the carrier, so that no handshake crosses from one to another: at least one
    /// byte, and the first names the kind of carrier. Both ends say the same. It means nothing to others than the radio.
    nonisolated var binding: [UInt8] { get }
    /// What carries the segments, for people, such as "GATT".
    nonisolated var carrierName: String { get }
    /// How long the segments may be that `send` takes and `receive` gives.
    nonisolated var segmentLimits: SegmentLimits { get }
    /// For the log, safe to print.
    nonisolated var peerDescription: String { get }
    /// What the links over one connection have in common, and no others. One phone may begin many links.
    nonisolated var connectionName: String { get }
    /// Sends one segment, and waits while the queue to the radio is full. It is lost where the other side has ended the link, which
    /// `receive` tells behind what came before.
    func send(_ segment: [UInt8]) async throws(LinkError)
    /// The next segment; `LinkError.closed` at the end. One caller at a time.
    func receive() async throws(LinkError) -> [UInt8]
    /// How strongly the other side is heard on this link, in dBm, measured now; nil where the radio cannot tell.
    func signalStrength() async -> Int?
    /// Ends the link; whoever waits gets `LinkError.closed`. May be called again.
    func close() async
}

extension PhoneLink {
    public nonisolated var connectionName: String { peerDescription }
    public func signalStrength() async -> Int? { nil }
}
