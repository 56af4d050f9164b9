import Names
import VaultPort

/// All enrolled devices in memory, indexed by public key. Measured: a lookup in SQLite's trees costs nine times as much
/// with 100,000 devices as with ten. Here the cost stays the same.
///
/// The content follows the table `devices`: it is filled at the start and updated after each transaction that changed a
/// device. Records follow each other in one array, so that a lookup touches three cache lines. A device takes about 100
/// bytes. Only phones of a site are ever removed for good.
struct DeviceDirectory {
    /// Open addressing, at most half full: 32 bits of the key's hash, then the record's offset plus one. 0 is free.
    private var slots = [UInt64](repeating: 0, count: 16)
    private var records: [UInt8] = []
    private var count = 0
    /// Number of removed records, whose key is cleared.
    private var removedCount = 0

    /// Layout of a record: state, mode with one bit each for web and site, length of user, length of label (1 byte
    /// each), enrolled at (8), last used at (8), public key (32), ID (16), user, label.
    private static let fixedBytes = 4 + 8 + 8 + 32 + 16
    private static let keyOffset = 20
    /// Bits of the mode byte; the mode itself is 0 or 1. A negative time stands for a device that was never used.
    private static let webBit: UInt8 = 2
    private static let siteBit: UInt8 = 4
    private static let neverUsed = Int64(-1)

    subscript(publicKey: [UInt8]) -> DeviceRecord? {
        find(publicKey).map { record(at: $0) }
    }

    /// Adds a device, or changes a known one.
    mutating func update(_ device: DeviceRecord) {
        let head = Self.head(device)
        if let offset = find(device.publicKey) {
            records.replaceSubrange(offset..<offset + head.count, with: head)
            return
        }
        if (count + 1) * 2 > slots.count { grow() }
        let offset = records.count
        records += head + device.publicKey + device.id.bytes + device.user + device.label
        insert(offset, hash: Self.hash(device.publicKey))
        count += 1
    }

    /// Removes a device. Its memory is reused when more devices were removed than are left.
    mutating func remove(_ publicKey: [UInt8]) {
        guard let offset = find(publicKey) else { return }
        records.replaceSubrange(offset + Self.keyOffset..<offset + Self.keyOffset + 32, with: Self.noKey)
        removedCount += 1
        guard removedCount * 2 > count else { return }
        var rest = DeviceDirectory()
        for slot in slots where slot != 0 {
            let left = record(at: Int(UInt32(truncatingIfNeeded: slot)) - 1)
            if left.publicKey != Self.noKey { rest.update(left) }
        }
        self = rest
    }

    /// Not a phone's key: no secret belongs to it.
    private static let noKey = [UInt8](repeating: 0, count: 32)

    private func find(_ publicKey: [UInt8]) -> Int? {
        let hash = Self.hash(publicKey)
        var index = Int(hash) & (slots.count - 1)
        while slots[index] != 0 {
            if UInt32(truncatingIfNeeded: slots[index] >> 32) == hash {
                let offset = Int(UInt32(truncatingIfNeeded: slots[index])) - 1
                let start = offset + Self.keyOffset
                if records[start..<start + 32].elementsEqual(publicKey) { return offset }
            }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func insert(_ offset: Int, hash: UInt32) {
        var index = Int(hash) & (slots.count - 1)
        while slots[index] != 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = UInt64(hash) << 32 | UInt64(offset + 1)
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        for slot in old where slot != 0 {
            insert(Int(UInt32(truncatingIfNeeded: slot)) - 1, hash: UInt32(truncatingIfNeeded: slot >> 32))
        }
    }

    private static func hash(_ publicKey: [UInt8]) -> UInt32 {
        // The hash has a new seed in each process, so an attacker cannot choose keys that collide.
        var hasher = Hasher()
        hasher.combine(publicKey)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private static func head(_ device: DeviceRecord) -> [UInt8] {
        [
            UInt8(device.state.rawValue),
            device.mode.rawValue | (device.isWeb ? webBit : 0) | (device.isOfSite ? siteBit : 0),
            UInt8(device.user.count), UInt8(device.label.count),
        ] + bigEndian(device.enrolledAt) + bigEndian(device.lastUsedAt ?? neverUsed)
    }

    private static func bigEndian(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * $0)) }
    }

    private func number(at offset: Int) -> Int64 {
        records[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
    }

    private func record(at offset: Int) -> DeviceRecord {
        let used = number(at: offset + 12)
        let key = offset + Self.keyOffset
        let user = offset + Self.fixedBytes
        let label = user + Int(records[offset + 2])
        return DeviceRecord(
            id: DeviceID(known: Array(records[key + 32..<key + 48])), publicKey: Array(records[key..<key + 32]),
            user: Array(records[user..<label]), label: Array(records[label..<label + Int(records[offset + 3])]),
            mode: records[offset + 1] & 1 == 0 ? .phoneHeld : .boxHeld,
            isWeb: records[offset + 1] & Self.webBit != 0, isOfSite: records[offset + 1] & Self.siteBit != 0,
            // Every state except active is refused.
            state: records[offset] == 1 ? .active : .revoked,
            enrolledAt: number(at: offset + 4), lastUsedAt: used == Self.neverUsed ? nil : used)
    }
}
