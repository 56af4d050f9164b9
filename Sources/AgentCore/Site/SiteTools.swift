import SiteLink
import SiteTrust
import VaultPort

/// The shared parts of joining and membership: box identity, random choices, numbers of links and operations.
struct SiteTools: Sendable {
    enum Operation: Sendable { case read, join, write, forget }

    let box: SiteBox
    var jitter: SiteJitter
    private var pending = Pending<Operation>(.site)
    private var lastLink: UInt64 = 0

    init(_ box: SiteBox) {
        self.box = box
        jitter = SiteJitter(box.random)
    }

    mutating func ask(_ operation: Operation, _ command: VaultCommand, _ out: inout Output) {
        out.emit(.vault(pending.open(operation), command))
    }

    /// Returns the answered operation, or nil if none waits.
    mutating func close(_ id: OperationID) -> Operation? { pending.close(id) }

    /// Connects to one of `servers`, chosen at random. Returns nil if there are none.
    mutating func connect(toOneOf servers: [SiteAddress], _ out: inout Output) -> SiteLinkState? {
        guard let address = servers.randomElement(using: &jitter) else { return nil }
        lastLink += 1
        let id = SiteLinkID(number: lastLink)
        out.emit(.site(id, .connect(address)))
        return .connecting(id, address)
    }

    func close(_ link: SiteLinkState, _ out: inout Output) {
        if let id = link.id { out.emit(.site(id, .close)) }
    }

    /// Returns the state of a link that is open from now on.
    mutating func opened(
        _ id: SiteLinkID, _ address: SiteAddress, knowing number: UInt64?, at now: Duration
    ) -> SiteLinkState {
        let use = jitter.time(in: SiteLinkTimes.shortestUse...(SiteLinkTimes.longestUse - SiteLinkTimes.lastHead))
        return .open(SiteOpenLink(id: id, address: address, since: now, endsAt: now + use, toldNumber: number))
    }
}
