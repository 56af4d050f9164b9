import Glibc
import Secrets
import Synchronization

extension PasswordHash {
    /// Memory that is reserved for one hash. The kernel has already provided every page of it.
    ///
    /// libsodium allocates inside its hash function and takes no memory from outside. So the reservation is released
    /// when the hash starts, and libsodium then asks for the same amount. The reservation shows that address space,
    /// commit limit and control group allowed the hash a moment ago. If memory is short, the process is refused or
    /// killed *before* the try is spent. If another process takes the memory in that moment, `hash` throws
    /// `outOfMemory`.
    public final class Reservation: Sendable {
        public let cost: PasswordHashCost
        private let byteCount: Int
        /// The mapping's address, or 0 once it is released.
        private let address: Atomic<UInt>

        init(cost: PasswordHashCost) throws(SecretsError) {
            self.cost = cost
            byteCount = Int(cost.memoryKiB) * 1_024
            let memory = mmap(
                nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
            guard let memory, memory != MAP_FAILED else { throw .outOfMemory }
            address = Atomic(UInt(bitPattern: memory))
        }

        deinit {
            release()
        }

        /// Returns the 32-byte hash of `pin` with a salt of 16 bytes. Blocks the calling thread while it computes. A
        /// reservation serves one hash; a second call throws `reservationUsed`.
        public func hash(pin: borrowing SecretBytes, salt: [UInt8]) throws(SecretsError) -> SecretBytes {
            guard release() else { throw .reservationUsed }
            return try PasswordHash.hash(pin, salt: salt, cost: cost)
        }

        /// Releases the memory. Returns false if it was released before.
        @discardableResult
        private func release() -> Bool {
            // SAFETY: the exchange gives the mapping of `byteCount` bytes to exactly one caller; it was never lent.
            guard
                let memory = UnsafeMutableRawPointer(
                    bitPattern: address.exchange(0, ordering: .acquiringAndReleasing))
            else { return false }
            munmap(memory, byteCount)
            return true
        }
    }
}
