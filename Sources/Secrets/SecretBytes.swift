import CSodium

/// Bytes that must not leave this process, nor stay in it: locked in memory, between guard pages, left out of
/// core dumps, and wiped when the value ends.
///
/// One value costs a few pages and about 20 µs; several small keys of one purpose share a `SecretArena`, and short values may lie in
/// regions of a `SecretArenaPool`.
/// Locking is asked of the kernel but not insisted on (`RLIMIT_MEMLOCK` may be small): the daemon turns swap of
/// its memory off as a whole where it can.
public struct SecretBytes: ~Copyable, Sendable {
    // SAFETY: the memory belongs to this value alone (the type is not copyable), is written through `mutating`
    // functions only, and is freed once, in `deinit`; so exclusivity of access is the compiler's, on any thread.
    private nonisolated(unsafe) let allocation: UnsafeMutableRawPointer
    private let origin: SecretOrigin
    private var start: Int
    /// Number of bytes, zero included.
    public private(set) var count: Int

    /// `count` zero bytes. Ends the process when there is no memory, as Swift's own collections do.
    ///
    /// - Parameter pool: Whose region is taken where `count` fits; nil: an allocation of its own.
    public init(count: Int, from pool: SecretArenaPool? = nil) {
        precondition(count >= 0, "a negative number of secret bytes")
        (allocation, origin) = SecretOrigin.allocate(count, from: pool)
        start = 0
        self.count = count
    }

    /// `randomCount` bytes from the system's random source.
    public init(randomCount: Int) {
        self.init(count: randomCount)
        randombytes_buf(allocation, randomCount)
    }

    /// A copy of `source`, whose owner still has to wipe it.
    public init(copying source: RawSpan, from pool: SecretArenaPool? = nil) {
        self.init(count: source.byteCount, from: pool)
        withMutableBytes { bytes in bytes.store(source) }
    }

    /// A copy of `source`: for tests and for what was never secret. The array is not wiped.
    public init(copying source: [UInt8], from pool: SecretArenaPool? = nil) {
        self.init(copying: source.span.bytes, from: pool)
    }

    deinit {
        // Wiped in any case; an allocation of its own has its canary checked, and is unmapped.
        origin.free(allocation)
    }

    /// Where short values that are made of this one lie as well.
    package var pool: SecretArenaPool? { origin.pool }

    /// Lends the bytes to read.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: `start + count` lies within the allocation, which outlives the call because `self` is borrowed.
        let bytes = UnsafeRawBufferPointer(start: allocation + start, count: count)
        return try body(bytes.bytes)
    }

    /// Lends the bytes to change.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: as in `withBytes`, and `self` is held exclusively.
        let bytes = UnsafeMutableRawBufferPointer(start: allocation + start, count: count)
        var span = bytes.mutableBytes
        return try body(&span)
    }

    /// One byte, at an `index` within `0..<count`: for tags and lengths ahead of the secret itself.
    public borrowing func byte(at index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the call is bounds-checked.
        withBytes { bytes in unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
    }

    /// A copy of the bytes in `range`, which must lie within `0..<count`.
    public borrowing func slice(_ range: Range<Int>) -> SecretBytes {
        withBytes { bytes in SecretBytes(copying: bytes.extracting(range), from: pool) }
    }

    /// A second, independent value with the same bytes.
    public borrowing func copy() -> SecretBytes {
        withBytes { bytes in SecretBytes(copying: bytes, from: pool) }
    }

    /// Narrows the value to `range` of itself, without copying; what is left out is wiped now.
    public mutating func keep(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range outside the secret bytes")
        // SAFETY: both regions lie within `start..<start + count` of the allocation, by the check above.
        sodium_memzero(allocation + start, range.lowerBound)
        sodium_memzero(allocation + start + range.upperBound, count - range.upperBound)
        start += range.lowerBound
        count = range.count
    }

    /// Whether both hold the same bytes, in a time that depends on the lengths only.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        // SAFETY: both regions hold `count` bytes.
        return sodium_memcmp(allocation + start, other.allocation + other.start, count) == 0
    }
}
