import CSodium

/// The source of the memory of `SecretBytes` and `SecretArena`, to which it also returns.
struct SecretOrigin: Sendable {
    #if hasFeature(Embedded)
        // The web phone and the PAM module hold few secrets and must be small. So each secret has its own allocation.
        var pool: SecretArenaPool? { nil }

        // SAFETY: the caller takes over the memory, of at least `count` bytes.
        static func allocate(_ count: Int, from _: SecretArenaPool?) -> (UnsafeMutableRawPointer, SecretOrigin) {
            (SecretArena.allocate(count), SecretOrigin())
        }

        // SAFETY: `memory` came from `allocate` and is no longer used.
        func free(_ memory: UnsafeMutableRawPointer) { sodium_free(memory) }
    #else
        /// Nil if the memory is a separate allocation.
        private let region: (pool: SecretArenaPool, group: SecretArenaGroup)?

        var pool: SecretArenaPool? { region?.pool }

        // SAFETY: the caller takes over the memory, of at least `count` bytes.
        static func allocate(_ count: Int, from pool: SecretArenaPool?) -> (UnsafeMutableRawPointer, SecretOrigin) {
            guard let pool, count <= SecretArena.regionBytes else {
                return (SecretArena.allocate(count), SecretOrigin(region: nil))
            }
            let (memory, group) = pool.takeRegion()
            return (memory, SecretOrigin(region: group.map { (pool, $0) }))
        }

        // SAFETY: `memory` came from `allocate` and is no longer used.
        func free(_ memory: UnsafeMutableRawPointer) {
            guard let region else { return sodium_free(memory) }
            // SAFETY: a region has `regionBytes` bytes.
            sodium_memzero(memory, SecretArena.regionBytes)
            region.pool.giveBack(memory, to: region.group)
        }
    #endif
}
