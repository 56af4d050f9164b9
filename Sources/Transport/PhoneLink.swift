import Links

/// A link between a phone and a box, as either side sees it: an unreliable carrier of segments.
///
/// Segments may arrive out of order or be lost. `SegmentedLink` makes messages of them.
public protocol PhoneLink: AnyObject, Sendable {
    /// The carrier's bytes in the handshake's prologue, so that a handshake cannot move to another carrier. The first
    /// byte names the kind of carrier. Both ends use the same bytes, and only the radio interprets them.
    nonisolated var binding: [UInt8] { get }
    /// The name of the carrier for users, such as "GATT".
    nonisolated var carrierName: String { get }
    /// The longest segments that `send` accepts and `receive` returns.
    nonisolated var segmentLimits: SegmentLimits { get }
    /// A description of the other side for the log, safe to print.
    nonisolated var peerDescription: String { get }
    /// A name that all links over one connection share, and that no other link has. One phone may open many links.
    nonisolated var connectionName: String { get }
    /// Sends one segment, and waits while the radio's queue is full. The segment is lost if the other side has ended
    /// the link. `receive` reports that end after the segments that came before.
    func send(_ segment: [UInt8]) async throws(LinkError)
    /// Returns the next segment. Throws `LinkError.closed` at the end. One caller at a time.
    func receive() async throws(LinkError) -> [UInt8]
    /// Measures the other side's signal on this link, in dBm. Returns nil if the radio cannot measure it.
    func signalStrength() async -> Int?
    /// Ends the link. Waiting callers get `LinkError.closed`. May be called again.
    func close() async
}

extension PhoneLink {
    public nonisolated var connectionName: String { peerDescription }
    public func signalStrength() async -> Int? { nil }
}
