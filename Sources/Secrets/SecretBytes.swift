import CSodium

/// Bytes that must not leave this process or remain in it. They are locked in memory, lie between guard pages, stay out
/// of core dumps, and are wiped when the value ends.
///
/// One value costs a few pages and about 20 µs. Several small keys of one purpose share a `SecretArena`, and short
/// values may lie in regions of a `SecretArenaPool`. A failed lock is tolerated, because `RLIMIT_MEMLOCK` may be small.
/// Where possible, the daemon turns off swap for all of its memory.
public struct SecretBytes: ~Copyable, Sendable {
    // SAFETY: the memory belongs to this value alone (the type is not copyable). Only `mutating` functions write it,
    // and `deinit` frees it once. So the compiler enforces exclusive access, on any thread.
    private nonisolated(unsafe) let allocation: UnsafeMutableRawPointer
    private let origin: SecretOrigin
    private var start: Int
    /// Number of bytes; may be zero.
    public private(set) var count: Int

    /// Makes `count` zero bytes. Ends the process if memory runs out, as Swift's own collections do.
    ///
    /// - Parameter pool: The pool to take a region from if `count` fits; otherwise the value gets its own allocation.
    public init(count: Int, from pool: SecretArenaPool? = nil) {
        precondition(count >= 0, "a negative number of secret bytes")
        (allocation, origin) = SecretOrigin.allocate(count, from: pool)
        start = 0
        self.count = count
    }

    /// Draws `randomCount` bytes from the system's random source.
    public init(randomCount: Int) {
        self.init(count: randomCount)
        randombytes_buf(allocation, randomCount)
    }

    /// Copies `source`, whose owner still has to wipe it.
    public init(copying source: RawSpan, from pool: SecretArenaPool? = nil) {
        self.init(count: source.byteCount, from: pool)
        withMutableBytes { bytes in bytes.store(source) }
    }

    /// Copies `source` without wiping it, for tests and for bytes that were never secret.
    public init(copying source: [UInt8], from pool: SecretArenaPool? = nil) {
        self.init(copying: source.span.bytes, from: pool)
    }

    deinit {
        // The memory is always wiped. For a separate allocation, libsodium also checks the canary and unmaps the pages.
        origin.free(allocation)
    }

    /// The pool in which short values derived from this one lie as well.
    package var pool: SecretArenaPool? { origin.pool }

    /// Lends the bytes for reading.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: `start + count` lies within the allocation, which outlives the call because `self` is borrowed.
        let bytes = UnsafeRawBufferPointer(start: allocation + start, count: count)
        return try body(bytes.bytes)
    }

    /// Lends the bytes for changing.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: as in `withBytes`, and `self` is held exclusively.
        let bytes = UnsafeMutableRawBufferPointer(start: allocation + start, count: count)
        var span = bytes.mutableBytes
        return try body(&span)
    }

    /// Returns the byte at `index`, within `0..<count`. Callers use it for tags and lengths before the secret itself.
    public borrowing func byte(at index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the call is bounds-checked.
        withBytes { bytes in unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
    }

    /// Copies the bytes in `range`, which must lie within `0..<count`.
    public borrowing func slice(_ range: Range<Int>) -> SecretBytes {
        withBytes { bytes in SecretBytes(copying: bytes.extracting(range), from: pool) }
    }

    /// Makes a second, independent value with the same bytes.
    public borrowing func copy() -> SecretBytes {
        withBytes { bytes in SecretBytes(copying: bytes, from: pool) }
    }

    /// Narrows the value to `range` of itself, without copying, and wipes the rest at once.
    public mutating func keep(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range outside the secret bytes")
        // SAFETY: both regions lie within `start..<start + count` of the allocation, by the check above.
        sodium_memzero(allocation + start, range.lowerBound)
        sodium_memzero(allocation + start + range.upperBound, count - range.upperBound)
        start += range.lowerBound
        count = range.count
    }

    /// Returns whether both hold the same bytes, in a time that depends on the lengths only.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        // SAFETY: both regions hold `count` bytes.
        return sodium_memcmp(allocation + start, other.allocation + other.start, count) == 0
    }
}
