/// A box that is linked to this server, as administrators see it.
public struct BoxContact: Sendable, Equatable {
    /// Without the port.
    public let address: String
    /// The program and version that the box claims, in printable ASCII.
    public let program: [UInt8]
    /// When the server began to serve the link, as time since boot.
    public let since: Duration
    /// The number of the signed status that the box says it has stored durably.
    public let took: UInt64

    /// Returns nil if the box with that row is not linked here.
    public init?(of box: Int64, at server: SiteServerMachine) {
        guard let id = server.roster.key(of: box).flatMap(server.census.link),
            case .served(let it) = server.links[id]
        else { return nil }
        (address, program, since, took) = (it.address, it.hello.program, it.since, it.took)
    }
}
