import CSodium

/// One guarded region for the keys of one handshake and its channel: sixteen slots of 32 bytes.
///
/// A guarded allocation costs about as much as a Diffie-Hellman operation, so the keys of one purpose share a region.
/// Several regions of a `SecretArenaPool` share one allocation. The functions here work from slot to slot, so no secret
/// leaves the region. Everything is wiped when the value ends.
public struct SecretArena: ~Copyable, Sendable {
    /// Length of a slot, in bytes.
    public static let slotBytes = 32
    /// Number of slots.
    public static let slotCount = 16

    /// A place for 32 bytes in an arena.
    public struct Slot: Sendable, Equatable {
        let offset: Int

        /// The slot at `index`, 0 to 15.
        public init(_ index: Int) {
            precondition((0..<SecretArena.slotCount).contains(index), "an arena has sixteen slots")
            offset = index * SecretArena.slotBytes
        }
    }

    /// Size of a region, in bytes. It holds the slots and the scratch memory of `HKDFScratch`.
    static let regionBytes = 1_024
    static let scratchOffset = slotCount * slotBytes

    // SAFETY: the region belongs to this value alone from `init` to `deinit`: the type is not copyable. Only `mutating`
    // functions write it. So the compiler enforces exclusive access, on any thread.
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let origin: SecretOrigin

    /// Takes a zeroed region from `pool` and returns it at the end. Without a pool, the region is its own allocation.
    public init(from pool: SecretArenaPool? = nil) {
        // SAFETY: from here on, this value owns the region.
        (memory, origin) = SecretOrigin.allocate(Self.regionBytes, from: pool)
    }

    /// The pool in which short secrets derived from these keys may lie as well.
    package var pool: SecretArenaPool? { origin.pool }

    deinit {
        // SAFETY: the region came with its origin and has no other holder. `free` wipes it.
        origin.free(memory)
    }

    // SAFETY: the caller takes over the allocation of `count` zeroed bytes. Without memory, the process cannot
    // continue.
    /// Allocates guarded memory of zeros. Ends the process if memory runs out, as Swift's own collections do.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        Sodium.start()
        guard let memory = sodium_malloc(count) else {
            preconditionFailure("out of memory for an arena of keys")
        }
        sodium_memzero(memory, count)
        return memory
    }

    /// Lends a slot's 32 bytes for reading.
    @inline(__always)
    public borrowing func withSlot<Result: ~Copyable, Failure: Error>(
        _ slot: Slot, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: every slot lies within the region, and `self` is borrowed during the call.
        let bytes = UnsafeRawBufferPointer(start: memory + slot.offset, count: Self.slotBytes)
        return try body(bytes.bytes)
    }

    /// Copies `source`, of at most 32 bytes, to the slot and fills the rest with zeros.
    public mutating func store(_ source: RawSpan, in slot: Slot) {
        precondition(source.byteCount <= Self.slotBytes, "a slot has 32 bytes")
        // SAFETY: the slot lies within the region, and the check above ensures that the source fits.
        let target = pointer(slot)
        target.update(repeating: 0, count: Self.slotBytes)
        source.withPointer { bytes in target.update(from: bytes, count: source.byteCount) }
    }

    /// Fills the slot with random bytes.
    public mutating func randomise(_ slot: Slot) {
        // SAFETY: a slot has room for `slotBytes` bytes.
        randombytes_buf(pointer(slot), Self.slotBytes)
    }

    /// Copies one slot to another.
    public mutating func copy(_ source: Slot, to target: Slot) {
        // SAFETY: slots lie within the region; `update(from:)` allows source and target to be the same slot.
        pointer(target).update(from: pointer(source), count: Self.slotBytes)
    }

    /// Overwrites a slot that is no longer needed.
    public mutating func wipe(_ slot: Slot) {
        // SAFETY: a slot has `slotBytes` bytes.
        sodium_memzero(pointer(slot), Self.slotBytes)
    }

    /// Overwrites all slots.
    public mutating func wipe() {
        // SAFETY: the region has `regionBytes` bytes.
        sodium_memzero(memory, Self.regionBytes)
    }

    /// Returns a pointer to the slot's first byte.
    @inline(__always)
    borrowing func pointer(_ slot: Slot) -> UnsafeMutablePointer<UInt8> {
        // SAFETY: every slot lies within the region.
        (memory + slot.offset).assumingMemoryBound(to: UInt8.self)
    }
}
