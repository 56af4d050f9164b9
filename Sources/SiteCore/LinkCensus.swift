import SiteLink

/// Who is linked, and from where: one link for a key, and bounds for those who have not shown theirs.
struct LinkCensus: Sendable {
    private var unproven: [String: Int] = [:]
    private(set) var unprovenCount = 0
    private var byKey: [[UInt8]: (id: LinkID, age: ProgramAge)] = [:]
    /// How many of those that are served run what.
    private(set) var ages: [ProgramAge: Int] = [:]
    private(set) var tally = LinkTally()
    /// Links whose key is unknown so far.
    var unknown = UnknownKeys()
    /// Of keys that were served since this program began: as many as there are boxes.
    private var uses: [[UInt8]: KeyUse] = [:]

    /// The links of boxes that are served.
    var served: [LinkID] { byKey.values.map(\.id).sorted() }

    /// Somebody comes from that address, besides so many links. False: there is no place for it.
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

    /// Somebody from that address has gone before it had shown a key.
    mutating func hasGone(_ address: String) {
        tally.refuse(.unproven)
        hasProved(address)
    }

    /// A link is ended by this server; `refusal`: what is said of it.
    mutating func end(_ id: LinkID, _ refusal: SiteRefusal?) {
        if let refusal { tally.refuse(.refused(refusal)) }
        unknown.remove(id)
    }

    /// Somebody from that address has shown its key, or is ended.
    mutating func hasProved(_ address: String) {
        guard let count = unproven[address] else { return }
        unproven[address] = count > 1 ? count - 1 : nil
        unprovenCount -= 1
    }

    func link(ofKey key: [UInt8]) -> LinkID? { byKey[key]?.id }

    /// Which addresses a key came from counts no more: an administrator has looked at it.
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

    /// A link of that key comes from `address`. True: two boxes have it.
    mutating func isDouble(_ key: [UInt8], from address: String, now: Duration) -> Bool {
        guard var use = uses[key] else {
            uses[key] = KeyUse(address: address)
            return false
        }
        defer { uses[key] = use }
        return use.isDouble(from: address, now: now)
    }
}
