import CSodium

/// Writes zeros over bytes that are somebody else's to free, in a way that no optimiser leaves out (libsodium's sodium_memzero).
public func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    // SAFETY: the caller owns the memory, which has `count` bytes.
    if let base = bytes.baseAddress { sodium_memzero(base, bytes.count) }
}
