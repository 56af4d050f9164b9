import CSodium

/// BLAKE2b-256 with a key (RFC 7693), to derive one key from several inputs.
///
/// The inputs are hashed one after the other, without separators. Give each a fixed width, or add its length.
public struct KeyedHash: ~Copyable, Sendable {
    /// Length of the key and of the result, in bytes.
    public static let keyBytes = 32

    /// libsodium's state, in guarded memory because it holds the key. Its size is a multiple of its alignment, 64
    /// bytes. Allocations end at the guard page, so they and their regions have this alignment.
    private var state: SecretBytes

    /// Starts with a key of 16 to 64 bytes and a context, which separates uses of one key. Allocates from `pool`.
    public init(
        key: borrowing SecretBytes, context: StaticString, from pool: SecretArenaPool? = nil
    ) throws(SecretsError) {
        guard (16...64).contains(key.count) else { throw .wrongLength }
        state = SecretBytes(count: crypto_generichash_statebytes(), from: pool)
        let keyCount = key.count
        // SAFETY: the state's memory has libsodium's size and alignment; the key's pointer comes with its own length.
        state.withMutablePointer { state in
            key.withPointer { key in
                _ = crypto_generichash_init(Self.state(at: state), key, keyCount, Self.keyBytes)
            }
        }
        // SAFETY: a StaticString's start and count describe bytes that live as long as the program.
        add(UnsafeRawBufferPointer(start: context.utf8Start, count: context.utf8CodeUnitCount).bytes)
    }

    /// Adds bytes to the input.
    public mutating func add(_ part: RawSpan) {
        // SAFETY: the state was initialised in `init`; the part's pointer comes with its own length.
        state.withMutablePointer { state in
            part.withPointer { bytes in
                _ = crypto_generichash_update(Self.state(at: state), bytes, UInt64(part.byteCount))
            }
        }
    }

    public mutating func add(_ part: [UInt8]) {
        add(part.span.bytes)
    }

    public mutating func add(_ part: borrowing SecretBytes) {
        part.withBytes { bytes in add(bytes) }
    }

    /// Ends the input and returns the 32 bytes of the hash.
    public consuming func finish() -> SecretBytes {
        var result = SecretBytes(count: Self.keyBytes, from: state.pool)
        // SAFETY: the state was initialised in `init`; the result has room for `keyBytes` bytes.
        state.withMutablePointer { state in
            result.withMutablePointer { result in
                _ = crypto_generichash_final(Self.state(at: state), result, Self.keyBytes)
            }
        }
        return result
    }

    /// Combines `init`, the parts that `addParts` adds, and `finish` in one call.
    public static func derive(
        key: borrowing SecretBytes, context: StaticString, _ addParts: (inout KeyedHash) -> Void
    ) throws(SecretsError) -> SecretBytes {
        var hash = try KeyedHash(key: key, context: context)
        addParts(&hash)
        return hash.finish()
    }

    // SAFETY: the pointer is the start of `state`, which has the size and alignment that libsodium needs.
    private static func state(at pointer: UnsafeMutablePointer<UInt8>) -> OpaquePointer {
        OpaquePointer(pointer)
    }
}
