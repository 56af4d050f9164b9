import SiteLink
import SiteTrust

/// The boxes that have a key, as the database had them at the last refresh: a link is judged without asking it.
struct BoxRoster: Sendable {
    private var byKey: [[UInt8]: SiteBox] = [:]
    private var keys: [Int64: [UInt8]] = [:]
    /// How many there are in each state.
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

    /// What is known of a box with a key; nil: nothing.
    func state(of box: Int64) -> SiteBox.State? { keys[box].flatMap { byKey[$0]?.state } }

    /// Boxes that wait for an administrator, as two machines have their keys.
    var suspended: Int { counts[.suspended] ?? 0 }

    func box(key: [UInt8]) -> SiteBox? { byKey[key] }

    /// Why a box with that key is not served; nil: it is.
    func refusal(key: [UInt8]) -> SiteRefusal? {
        switch byKey[key]?.state {
        case .joined: nil
        case .removed: .removed
        case .suspended: .suspended
        case .invited, nil: .unknownBox
        }
    }
}
