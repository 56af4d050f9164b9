/// One connection between a phone and a box, as either side sees it: an unreliable carrier of segments.
///
/// Segments may arrive out of order or be lost; `MessageLink` makes messages of them.
public protocol PhoneLink: AnyObject, Sendable {
    nonisolated var bearer: Bearer { get }
    /// What the handshake's prologue says of the bearer: the PSM of an L2CAP channel, 0 on GATT.
    nonisolated var psm: UInt16 { get }
    /// The MTU that was negotiated, in bytes: the ATT_MTU, or the longest SDU that may be sent.
    nonisolated var attMTU: Int { get }
    /// The most bytes of a segment that `send` takes.
    nonisolated var segmentBytes: Int { get }
    /// For the log, safe to print.
    nonisolated var peerDescription: String { get }
    /// What the links over one connection have in common, and no others. One phone may begin many links.
    nonisolated var connectionName: String { get }
    /// Sends one segment, and waits while the queue to the radio is full.
    func send(_ segment: [UInt8]) async throws(LinkError)
    /// The next segment; `LinkError.closed` at the end. One caller at a time.
    func receive() async throws(LinkError) -> [UInt8]
    /// How strongly the other side is heard on this link, in dBm, measured now; nil where the radio cannot tell.
    func signalStrength() async -> Int?
    /// Ends the link; whoever waits gets `LinkError.closed`. May be called again.
    func close() async
}

extension PhoneLink {
    public nonisolated var psm: UInt16 { 0 }
    public nonisolated var connectionName: String { peerDescription }
    public func signalStrength() async -> Int? { nil }
    public nonisolated var segmentBytes: Int { bearer.segmentBytes(mtu: attMTU) }
}

/// The phone's end of a link. It carries segments on one bearer: over GATT after `subscribe`, or over L2CAP on what
/// `openChannel` gives. Never both, because a transfer characteristic that is written while a channel is busy has
/// made phones and boxes drop either.
public protocol CentralLink: PhoneLink {
    /// The identity characteristic, at most `GATTProfile.valueBytes`.
    func readIdentity() async throws(LinkError) -> [UInt8]
    /// The PSM characteristic; 0: the box offers no L2CAP channel.
    func readPSM() async throws(LinkError) -> UInt16
    /// Asks for notifications. Before this the box takes no segment.
    func subscribe() async throws(LinkError)
    /// Opens the L2CAP channel with this PSM on the same connection, instead of subscribing. From then on this link
    /// takes no segments, and the channel owns the connection: closing it ends both. `refused`: the box takes no such
    /// channel now; then the link is as it was, and GATT can still be chosen.
    func openChannel(psm: UInt16) async throws(LinkError) -> any PhoneLink
}
