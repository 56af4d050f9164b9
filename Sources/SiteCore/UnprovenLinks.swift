import SiteLink

/// Counts the links without a proved key by their network. When no place is left, the network with the most links gives
/// one up to a network with fewer, so that few networks cannot take all places.
struct UnprovenLinks: Sendable {
    /// The links of each network, oldest first.
    private var links: [String: [LinkID]] = [:]
    /// The networks by the number of their links.
    private var networks: [Int: Set<String>] = [:]
    private var most = 0
    private(set) var count = 0

    /// One of the networks with the most links.
    var largest: String? { networks[most]?.first }

    func count(of network: String) -> Int { links[network]?.count ?? 0 }

    mutating func add(_ id: LinkID, of network: String) {
        let own = count(of: network)
        links[network, default: []].append(id)
        move(network, from: own, to: own + 1)
        count += 1
    }

    mutating func remove(_ id: LinkID, of network: String) {
        guard let index = links[network]?.lastIndex(of: id) else { return }
        let own = count(of: network)
        links[network]?.remove(at: index)
        if own == 1 { links[network] = nil }
        move(network, from: own, to: own - 1)
        count -= 1
    }

    /// Removes and returns the newest link of the largest network, for a network with at least two links fewer, or
    /// without any. An older link of a box is nearer to its proof.
    mutating func takePlace(for network: String) -> LinkID? {
        let own = count(of: network)
        guard own == 0 || own + 1 < most, let largest, let id = links[largest]?.last else { return nil }
        remove(id, of: largest)
        return id
    }

    private mutating func move(_ network: String, from old: Int, to new: Int) {
        networks[old]?.remove(network)
        if networks[old]?.isEmpty ?? false { networks[old] = nil }
        if new > 0 { networks[new, default: []].insert(network) }
        most = new > most ? new : networks[most] == nil ? max(new, old - 1) : most
    }
}
