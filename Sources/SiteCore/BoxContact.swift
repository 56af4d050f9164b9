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

    /// The link of the box with that row; nil: it is not linked here.
    public init?(of box: Int64, at server: SiteServerMachine) {
        guard let id = server.roster.key(of: box).flatMap(server.census.link),
            case .served(let it) = server.links[id]
        else { return nil }
        (address, program, since, took) = (it.address, it.hello.program, it.since, it.took)
    }
}
