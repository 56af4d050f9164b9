/// A box that is linked to this server, as administrators see it.
public struct BoxContact: Sendable, Equatable {
    /// Without the port.
    public let address: String
    /// Printable ASCII, what the box says it is.
    public let program: [UInt8]
    /// Since boot.
    public let since: Duration
    /// The number of the head that the box says it has durably.
    public let took: UInt64
}
