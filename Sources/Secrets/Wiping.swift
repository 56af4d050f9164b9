import CSodium

/// Overwrites memory with zeros before the caller frees it. No optimiser removes this write (libsodium's
/// sodium_memzero).
public func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    // SAFETY: the caller owns the memory, which has `count` bytes.
    if let base = bytes.baseAddress { sodium_memzero(base, bytes.count) }
}
