import CSodium

/// Overwrites memory that the caller frees with zeros. No optimiser removes this write (libsodium's sodium_memzero).
public func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    // SAFETY: the caller owns the memory, which has `count` bytes.
    if let base = bytes.baseAddress { sodium_memzero(base, bytes.count) }
}
