import SiteLink

/// Tracks which boxes are linked, and from where. A key has one link, and links without a proved key are bounded.
struct LinkCensus: Sendable {
    private var unproven: [String: Int] = [:]
    private(set) var unprovenCount = 0
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

    /// Admits a connection from that address, beside `links` others. Returns false if the limits are reached.
    mutating func admit(_ address: String, besides links: Int) -> Bool {
        tally.came += 1
        guard links < SiteLimits.links, unprovenCount < SiteLimits.unproven,
            unproven[address, default: 0] < SiteLimits.unprovenPerAddress
        else {
            tally.refuse(.noPlace)
            return false
        }
        unproven[address, default: 0] += 1
        unprovenCount += 1
        return true
    }

    /// Takes the end of a connection that had not proved a key.
    mutating func hasGone(_ address: String) {
        tally.refuse(.unproven)
        hasProved(address)
    }

    /// Takes the end of a link that this server ends, with the refusal that the box gets, if any.
    mutating func end(_ id: LinkID, _ refusal: SiteRefusal?) {
        if let refusal { tally.refuse(.refused(refusal)) }
        unknown.remove(id)
    }

    /// Takes the proof of a key from that address, or the end of a connection that had not proved one.
    mutating func hasProved(_ address: String) {
        guard let count = unproven[address] else { return }
        unproven[address] = count > 1 ? count - 1 : nil
        unprovenCount -= 1
    }

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
