import CSodium
import Synchronization

/// One guarded allocation that several arenas share, each with a region of its own.
///
/// ```
/// none ─allocate─► in use ─the last region came back─► idle ─freeIfIdle─► none
/// ```
/// Whoever has set a region's bit owns that region. Whoever has set all bits at once owns the group: only then is it allocated or
/// freed. So no lock is needed, and no call waits for another one.
final class SecretArenaGroup: Sendable {
    /// Regions of a group. With libsodium's 16 bytes of canary they fill four pages.
    static let regionCount = 15
    private static let allTaken: UInt16 = 1 << regionCount - 1

    /// A bit for each region that somebody owns; all of them while there is no allocation.
    private let taken = Atomic<UInt16>(allTaken)
    /// Where the allocation begins; 0: there is none, 1: somebody makes it just now.
    private let address = Atomic<UInt>(0)

    init() {}

    deinit {
        // SAFETY: arenas hold their group, so none of its regions is in use any more.
        if let memory { sodium_free(memory) }
    }

    // SAFETY: an address above 1 is that of a whole allocation of `regionCount` regions.
    private var memory: UnsafeMutableRawPointer? {
        let address = self.address.load(ordering: .acquiring)
        return address > 1 ? UnsafeMutableRawPointer(bitPattern: address) : nil
    }

    // SAFETY: the caller takes over the region, of `SecretArena.regionBytes` bytes.
    /// A region of zeros; nil where all are taken, or there is no allocation.
    func take() -> UnsafeMutableRawPointer? {
        var seen = taken.load(ordering: .relaxed)
        while seen != Self.allTaken {
            let index = (~seen).trailingZeroBitCount
            let (exchanged, now) = taken.compareExchange(
                expected: seen, desired: seen | 1 << index, ordering: .acquiring)
            // SAFETY: the bit makes this region the caller's alone, and keeps the allocation.
            if exchanged { return memory.map { $0 + index * SecretArena.regionBytes } }
            seen = now
        }
        return nil
    }

    // SAFETY: the caller takes over the first region, whose bit is set before anybody else can see the allocation.
    /// Makes the allocation, and takes its first region; nil where there is one, or somebody makes it just now.
    func allocate() -> UnsafeMutableRawPointer? {
        guard address.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged else { return nil }
        let memory = SecretArena.allocate(Self.regionCount * SecretArena.regionBytes)
        address.store(UInt(bitPattern: memory), ordering: .releasing)
        taken.store(1, ordering: .releasing)
        return memory
    }

    // SAFETY: the region is one that `take` or `allocate` gave out, and the caller uses it no more.
    /// Takes over a region that is wiped.
    func giveBack(_ region: UnsafeMutableRawPointer) {
        guard let memory else { return }
        let index = (UInt(bitPattern: region) - UInt(bitPattern: memory)) / UInt(SecretArena.regionBytes)
        taken.bitwiseAnd(~(1 << UInt16(truncatingIfNeeded: index)), ordering: .releasing)
    }

    /// Frees the allocation if no region is in use.
    func freeIfIdle() {
        guard taken.compareExchange(expected: 0, desired: Self.allTaken, ordering: .acquiring).exchanged else { return }
        // SAFETY: with all bits set by this call nobody has a region, and nobody gets one before the next `allocate`.
        if let memory { sodium_free(memory) }
        address.store(0, ordering: .releasing)
    }
}
