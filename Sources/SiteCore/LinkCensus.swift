import SiteLink

/// Tracks which boxes are linked, and from where. A key has one link, and links without a proved key are bounded.
struct LinkCensus: Sendable {
    private(set) var unproven = UnprovenLinks()
    private(set) var crowd = LinkCrowd()
    private var byKey: [[UInt8]: (id: LinkID, age: ProgramAge)] = [:]
    /// The number of served boxes by the age of their program.
    private(set) var ages: [ProgramAge: Int] = [:]
    private(set) var tally = LinkTally()
    /// Links whose key is still unknown.
    var unknown = UnknownKeys()
    /// The use of each key that was served since this program began: at most one for each box.
    private var uses: [[UInt8]: KeyUse] = [:]

    /// The links of boxes that are served.
    var served: [LinkID] { byKey.values.map(\.id).sorted() }

    /// Admits a connection from that network to `links`. Returns the connection that has no place: nil, this one, or one
    /// of a network with more.
    mutating func admit(
        _ id: LinkID, _ address: String, of network: String, to links: inout [LinkID: LinkState], now: Duration
    ) -> LinkID? {
        tally.came += 1
        var refused: LinkID?
        if unproven.count(of: network) >= SiteLimits.unprovenPerNetwork {
            refused = id
        } else if links.count >= SiteLimits.links || unproven.count >= SiteLimits.unproven {
            if unproven.count >= SiteLimits.unproven { crowd.refused(mostFrom: unproven.largest, now: now) }
            refused = unproven.takePlace(for: network) ?? id
        }
        if refused != id {
            unproven.add(id, of: network)
            links[id] = .unproven(address: address, network: network)
        }
        guard let refused else { return nil }
        links[refused] = nil
        tally.refuse(.noPlace)
        return refused
    }

    /// Takes the end of a connection that had not proved a key.
    mutating func hasGone(_ id: LinkID, of network: String) {
        tally.refuse(.unproven)
        unproven.remove(id, of: network)
    }

    /// Takes the end of a link that this server ends, with the refusal that the box gets, if any.
    mutating func end(_ id: LinkID, _ refusal: SiteRefusal?) {
        if let refusal { tally.refuse(.refused(refusal)) }
        unknown.remove(id)
    }

    /// Takes the proof of a key, or the end of a connection that had not proved one.
    mutating func hasProved(_ id: LinkID, of network: String) { unproven.remove(id, of: network) }

    func link(ofKey key: [UInt8]) -> LinkID? { byKey[key]?.id }

    /// Forgets the addresses of a key, because an administrator has checked the boxes.
    mutating func forgetUse(of key: [UInt8]) { uses[key] = nil }

    mutating func serve(_ key: [UInt8], _ id: LinkID, _ age: ProgramAge = .unknown) {
        if let old = byKey.updateValue((id, age), forKey: key) { ages[old.age, default: 0] -= 1 }
        ages[age, default: 0] += 1
        tally.served += 1
    }

    mutating func leave(_ key: [UInt8], _ id: LinkID) {
        guard let old = byKey[key], old.id == id else { return }
        byKey[key] = nil
        ages[old.age, default: 0] -= 1
    }

    /// Takes a link of that key from `address`. Returns true if two boxes have the key.
    mutating func isDouble(_ key: [UInt8], from address: String, now: Duration) -> Bool {
        guard var use = uses[key] else {
            uses[key] = KeyUse(address: address)
            return false
        }
        defer { uses[key] = use }
        return use.isDouble(from: address, now: now)
    }
}
