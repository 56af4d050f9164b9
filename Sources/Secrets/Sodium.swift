import CSodium

/// Starts libsodium once per process. libsodium then chooses implementations for this CPU and opens the random source.
package enum Sodium {
    /// True once libsodium is ready. `sodium_init` is idempotent and thread-safe; Swift runs this once.
    private static let isReady = sodium_init() >= 0

    /// Must run before every operation that allocates, draws random bytes or chooses by CPU.
    @inline(__always)
    package static func start() {
        // Without a random source no key may be made, so stopping is the only safe answer.
        precondition(isReady, "libsodium cannot start: the system's random source is not available")
    }
}
