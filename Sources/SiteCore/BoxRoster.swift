import SiteLink
import SiteTrust

/// The boxes that have a key, as of the last refresh. Links are judged by this list, without a database query.
struct BoxRoster: Sendable {
    private var byKey: [[UInt8]: SiteBox] = [:]
    private var keys: [Int64: [UInt8]] = [:]
    /// The number of boxes in each state.
    private(set) var counts: [SiteBox.State: Int] = [:]

    mutating func take(_ box: SiteBox) {
        if let old = keys.removeValue(forKey: box.id), let was = byKey.removeValue(forKey: old) {
            counts[was.state, default: 0] -= 1
        }
        guard let key = box.key else { return }
        byKey[key] = box
        counts[box.state, default: 0] += 1
        keys[box.id] = key
    }

    func key(of box: Int64) -> [UInt8]? { keys[box] }

    /// Returns the state of a box that has a key, or nil for any other box.
    func state(of box: Int64) -> SiteBox.State? { keys[box].flatMap { byKey[$0]?.state } }

    /// The number of boxes that wait for an administrator because two machines have their key.
    var suspended: Int { counts[.suspended] ?? 0 }

    func box(key: [UInt8]) -> SiteBox? { byKey[key] }

    /// Returns why a box with that key is not served, or nil if it is served.
    func refusal(key: [UInt8]) -> SiteRefusal? {
        switch byKey[key]?.state {
        case .joined: nil
        case .removed: .removed
        case .suspended: .suspended
        case .invited, nil: .unknownBox
        }
    }
}
