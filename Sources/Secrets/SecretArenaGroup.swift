import CSodium
import Synchronization

/// One guarded allocation that several arenas share, each with its own region.
///
/// ```
/// none ─allocate─► in use ─last region returned─► idle ─freeIfIdle─► none
/// ```
/// The caller that sets a region's bit owns the region. The caller that sets all bits at once owns the group: only then
/// is the group allocated or freed. So the group needs no lock, and calls never wait.
final class SecretArenaGroup: Sendable {
    /// Regions of a group. With libsodium's 16 canary bytes, they fill four pages.
    static let regionCount = 15
    private static let allTaken: UInt16 = 1 << regionCount - 1

    /// One bit for each region in use. All bits are set while there is no allocation.
    private let taken = Atomic<UInt16>(allTaken)
    /// Address of the allocation. 0 means that there is none; 1 means that a caller is making it.
    private let address = Atomic<UInt>(0)

    init() {}

    deinit {
        // SAFETY: arenas hold their group, so none of its regions is in use.
        if let memory { sodium_free(memory) }
    }

    // SAFETY: an address above 1 belongs to a complete allocation of `regionCount` regions.
    private var memory: UnsafeMutableRawPointer? {
        let address = self.address.load(ordering: .acquiring)
        return address > 1 ? UnsafeMutableRawPointer(bitPattern: address) : nil
    }

    // SAFETY: the caller takes over the region, of `SecretArena.regionBytes` bytes.
    /// Returns a zeroed region, or nil if all are taken or there is no allocation.
    func take() -> UnsafeMutableRawPointer? {
        var seen = taken.load(ordering: .relaxed)
        while seen != Self.allTaken {
            let index = (~seen).trailingZeroBitCount
            let (exchanged, now) = taken.compareExchange(
                expected: seen, desired: seen | 1 << index, ordering: .acquiring)
            // SAFETY: the bit gives this region to the caller alone, and keeps the allocation alive.
            if exchanged { return memory.map { $0 + index * SecretArena.regionBytes } }
            seen = now
        }
        return nil
    }

    // SAFETY: the caller takes over the first region. Its bit is set before any other thread can see the allocation.
    /// Makes the allocation and takes its first region. Returns nil if an allocation exists or is being made.
    func allocate() -> UnsafeMutableRawPointer? {
        guard address.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged else { return nil }
        let memory = SecretArena.allocate(Self.regionCount * SecretArena.regionBytes)
        address.store(UInt(bitPattern: memory), ordering: .releasing)
        taken.store(1, ordering: .releasing)
        return memory
    }

    // SAFETY: the region came from `take` or `allocate`, and the caller no longer uses it.
    /// Takes back a region that has been wiped.
    func giveBack(_ region: UnsafeMutableRawPointer) {
        guard let memory else { return }
        let index = (UInt(bitPattern: region) - UInt(bitPattern: memory)) / UInt(SecretArena.regionBytes)
        taken.bitwiseAnd(~(1 << UInt16(truncatingIfNeeded: index)), ordering: .releasing)
    }

    /// Frees the allocation if no region is in use.
    func freeIfIdle() {
        guard taken.compareExchange(expected: 0, desired: Self.allTaken, ordering: .acquiring).exchanged else { return }
        // SAFETY: this call set all bits, so no region is in use, and none is given out before the next `allocate`.
        if let memory { sodium_free(memory) }
        address.store(0, ordering: .releasing)
    }
}
