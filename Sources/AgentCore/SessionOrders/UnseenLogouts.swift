import Names
import VaultPort

/// Deadlines of an earlier run that passed while the vault did not name their owners. Pure; times are since boot.
package struct UnseenLogouts: Sendable {
    private var devices: Set<DeviceID> = []
    private var pause = UnreadableVault.firstPause
    /// The time of the next read.
    package private(set) var deadline: Duration?

    package init() {}

    package mutating func failed(_ device: DeviceID, now: Duration) {
        devices.insert(device)
        guard deadline == nil else { return }
        deadline = now + pause
        pause = min(pause * 2, UnreadableVault.longestPause)
    }

    package mutating func worked() {
        if devices.isEmpty { pause = UnreadableVault.firstPause }
    }

    /// Returns the devices to read again, in the order of their ids.
    package mutating func due(now: Duration) -> [DeviceID] {
        guard let at = deadline, at <= now else { return [] }
        deadline = nil
        defer { devices = [] }
        return devices.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
