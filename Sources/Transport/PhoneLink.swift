/// One connection between a phone and a box, as either side sees it: an unreliable carrier of segments.
///
/// Segments may arrive out of order or be lost; `MessageLink` makes messages of them.
public protocol PhoneLink: AnyObject, Sendable {
    nonisolated var bearer: Bearer { get }
    /// The MTU that was negotiated, in bytes.
    nonisolated var attMTU: Int { get }
    /// For the log, safe to print.
    nonisolated var peerDescription: String { get }
    /// Sends one segment, and waits while the queue to the radio is full.
    func send(_ segment: [UInt8]) async throws(LinkError)
    /// The next segment; `LinkError.closed` at the end. One caller at a time.
    func receive() async throws(LinkError) -> [UInt8]
    /// Ends the link; whoever waits gets `LinkError.closed`. May be called again.
    func close() async
}

/// The phone's end of a link.
public protocol CentralLink: PhoneLink {
    /// The identity characteristic, at most `GATTProfile.valueBytes`.
    func readIdentity() async throws(LinkError) -> [UInt8]
    /// The PSM characteristic; 0: the box offers no L2CAP channel.
    func readPSM() async throws(LinkError) -> UInt16
    /// Asks for notifications. Before this the box takes no segment.
    func subscribe() async throws(LinkError)
}
