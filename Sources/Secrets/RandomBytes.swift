import CSodium

/// `count` bytes from the system's random source, for what is not secret: nonces, salts, identifiers.
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
    /// Overwrites the elements with zeros in a way that the compiler keeps. Only for an array with one owner:
    /// a shared one is copied first, and the other copy stays as it is.
    public mutating func wipe() {
        // SAFETY: the pointer and the length describe this array's own storage for the time of the call.
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress {
                sodium_memzero(base, bytes.count)
            }
        }
    }
}
