import CSodium

/// SHA-256 and Noise's HKDF from slot to slot.
extension SecretArena {
    /// Writes the SHA-256 of `first`, then `second`, into `slot`.
    public mutating func hash(_ first: RawSpan, _ second: RawSpan, into slot: Slot) {
        hash(into: slot, second) { state in
            first.withPointer { bytes in _ = crypto_hash_sha256_update(state, bytes, UInt64(first.byteCount)) }
        }
    }

    /// Writes the SHA-256 of the slot's 32 bytes, then `data`, into the same slot: Noise's MixHash.
    public mutating func hash(_ slot: Slot, appending data: RawSpan) {
        let previous = pointer(slot)
        hash(into: slot, data) { state in
            _ = crypto_hash_sha256_update(state, previous, UInt64(Self.slotBytes))
        }
    }

    /// Writes the SHA-256 of the slot's 32 bytes, then another slot's 32 bytes, into the first slot.
    public mutating func hash(_ slot: Slot, appending other: Slot) {
        // SAFETY: a slot has `slotBytes` bytes; they are read before the digest is written.
        let data = UnsafeRawBufferPointer(start: pointer(other), count: Self.slotBytes)
        hash(slot, appending: data.bytes)
    }

    @inline(__always)
    private mutating func hash(
        into slot: Slot, _ data: RawSpan, _ start: (UnsafeMutablePointer<crypto_hash_sha256_state>) -> Void
    ) {
        // SAFETY: every pointer comes with its own length; the slot has a digest's 32 bytes. `final` wipes the state.
        var state = crypto_hash_sha256_state()
        crypto_hash_sha256_init(&state)
        start(&state)
        data.withPointer { bytes in _ = crypto_hash_sha256_update(&state, bytes, UInt64(data.byteCount)) }
        crypto_hash_sha256_final(&state, pointer(slot))
    }

    /// Computes Noise's HKDF (specification revision 34, section 4.3) with HMAC-SHA256. It derives two or three outputs
    /// of 32 bytes from a chaining key and the key material in `input`. An output may use the slot of an input.
    public mutating func deriveKeys(
        chainingKey: Slot, input: Slot, _ first: Slot, _ second: Slot, _ third: Slot? = nil
    ) {
        deriveKeys(chainingKey, pointer(input), Self.slotBytes, first, second, third)
    }

    /// Computes the same HKDF with key material from outside the arena: a public key, or nothing.
    public mutating func deriveKeys(
        chainingKey: Slot, publicInput: RawSpan, _ first: Slot, _ second: Slot, _ third: Slot? = nil
    ) {
        publicInput.withPointer { bytes in
            deriveKeys(chainingKey, bytes, publicInput.byteCount, first, second, third)
        }
    }

    private borrowing func deriveKeys(
        _ chainingKey: Slot, _ input: UnsafePointer<UInt8>, _ inputBytes: Int, _ first: Slot, _ second: Slot,
        _ third: Slot?
    ) {
        // SAFETY: the scratch area lies after the slots and is large enough for a key and two states (checked by a
        // test). It is aligned to 16 bytes, more than the states need. Only this function uses it.
        let scratch = HKDFScratch(start: memory + Self.scratchOffset)
        crypto_auth_hmacsha256_init(scratch.state, pointer(chainingKey), Self.slotBytes)
        crypto_auth_hmacsha256_update(scratch.state, input, UInt64(inputBytes))
        crypto_auth_hmacsha256_final(scratch.state, scratch.key)

        // The state after the key is the same for all outputs, so it is computed once and copied.
        crypto_auth_hmacsha256_init(scratch.keyed, scratch.key, Self.slotBytes)
        expand(scratch, after: nil, counter: 1, into: first)
        expand(scratch, after: first, counter: 2, into: second)
        if let third {
            expand(scratch, after: second, counter: 3, into: third)
        }
        sodium_memzero(scratch.start, HKDFScratch.byteCount)
    }

    private borrowing func expand(_ scratch: HKDFScratch, after previous: Slot?, counter: UInt8, into output: Slot) {
        // SAFETY: slots have 32 bytes, and the scratch area is as `deriveKeys` describes it. Bytes are copied because
        // Swift copies a C struct field by field.
        UnsafeMutableRawPointer(scratch.state).copyMemory(
            from: scratch.keyed, byteCount: MemoryLayout<crypto_auth_hmacsha256_state>.size)
        if let previous {
            crypto_auth_hmacsha256_update(scratch.state, pointer(previous), UInt64(Self.slotBytes))
        }
        withUnsafePointer(to: counter) { counter in
            _ = crypto_auth_hmacsha256_update(scratch.state, counter, 1)
        }
        crypto_auth_hmacsha256_final(scratch.state, pointer(output))
    }
}

/// HKDF's intermediate key and HMAC states, which lie in the guarded region and never on the stack.
struct HKDFScratch {
    static var byteCount: Int { SecretArena.slotBytes + 2 * MemoryLayout<crypto_auth_hmacsha256_state>.stride }

    // SAFETY: only `deriveKeys` sets this, to the start of its arena's scratch area. The area has `byteCount` bytes, is
    // aligned to 16, and has no other user.
    let start: UnsafeMutableRawPointer

    // SAFETY: the first 32 bytes of the area.
    var key: UnsafeMutablePointer<UInt8> { start.assumingMemoryBound(to: UInt8.self) }

    // SAFETY: the first of the two states after the key.
    var state: UnsafeMutablePointer<crypto_auth_hmacsha256_state> {
        (start + SecretArena.slotBytes).assumingMemoryBound(to: crypto_auth_hmacsha256_state.self)
    }

    /// The state after the key was absorbed.
    // SAFETY: the second state.
    var keyed: UnsafeMutablePointer<crypto_auth_hmacsha256_state> { state + 1 }
}
