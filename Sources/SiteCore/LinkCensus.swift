/// Who is linked, and from where: one link for a key, and bounds for those who have not shown theirs.
struct LinkCensus: Sendable {
    private var unproven: [String: Int] = [:]
    private var unprovenCount = 0
    private var byKey: [[UInt8]: LinkID] = [:]
    /// Of keys that were served since this program began: as many as there are boxes.
    private var uses: [[UInt8]: KeyUse] = [:]

    /// The links of boxes that are served.
    var served: [LinkID] { byKey.values.sorted() }

    func admits(_ address: String) -> Bool {
        unprovenCount < SiteLimits.unproven && unproven[address, default: 0] < SiteLimits.unprovenPerAddress
    }

    mutating func add(_ address: String) {
        unproven[address, default: 0] += 1
        unprovenCount += 1
    }

    /// Somebody from that address has shown its key, or has gone.
    mutating func hasProved(_ address: String) {
        guard let count = unproven[address] else { return }
        unproven[address] = count > 1 ? count - 1 : nil
        unprovenCount -= 1
    }

    func link(ofKey key: [UInt8]) -> LinkID? { byKey[key] }

    /// Which addresses a key came from counts no more: an administrator has looked at it.
    mutating func forgetUse(of key: [UInt8]) { uses[key] = nil }

    mutating func serve(_ key: [UInt8], _ id: LinkID) { byKey[key] = id }

    mutating func leave(_ key: [UInt8], _ id: LinkID) {
        if byKey[key] == id { byKey[key] = nil }
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
