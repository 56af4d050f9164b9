import CSodium

/// Returns `count` bytes from the system's random source, for values that are not secret: nonces, salts, identifiers.
public func randomBytes(count: Int) -> [UInt8] {
    precondition(count >= 0, "a negative number of random bytes")
    Sodium.start()
    // SAFETY: the buffer has room for `count` bytes and `randombytes_buf` writes all of them.
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
        if let base = buffer.baseAddress {
            randombytes_buf(base, count)
        }
        initialised = count
    }
}

extension [UInt8] {
    /// Overwrites the elements with zeros in a way that the compiler keeps. Use it only for an array with one owner: a
    /// shared array is copied first, and the other copy keeps its bytes.
    public mutating func wipe() {
        // SAFETY: the pointer and the length describe this array's own storage during the call.
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress {
                sodium_memzero(base, bytes.count)
            }
        }
    }
}
