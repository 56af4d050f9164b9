import Glibc
import Secrets
import Synchronization

extension PasswordHash {
    /// Memory held for one hash, every page of it already given by the kernel.
    ///
    /// libsodium allocates inside its hash function and takes no memory from outside, so the reservation is given
    /// back at the moment the hash starts and libsodium asks for the same amount next. What this shows is that the
    /// machine (address space, commit limit, control group) could carry the hash an instant ago: a process that
    /// would be refused or killed for want of memory is refused or killed *before* the attempt is spent. Another
    /// process that takes the memory in that instant can still make `hash` say `outOfMemory`.
    public final class Reservation: Sendable {
        public let cost: PasswordHashCost
        private let byteCount: Int
        /// The mapping's address; 0 once it is given back.
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

        /// The hash of `pin` with a salt of 16 bytes: 32 bytes. Blocks the calling thread for as long as the cost
        /// says. A reservation serves one hash; another one is `reservationUsed`.
        public func hash(pin: borrowing SecretBytes, salt: [UInt8]) throws(SecretsError) -> SecretBytes {
            guard release() else { throw .reservationUsed }
            return try PasswordHash.hash(pin, salt: salt, cost: cost)
        }

        /// Gives the memory back; false when that had happened before.
        @discardableResult
        private func release() -> Bool {
            // SAFETY: the exchange hands the mapping, of `byteCount` bytes, to exactly one caller; nothing of it
            // was ever lent.
            guard
                let memory = UnsafeMutableRawPointer(
                    bitPattern: address.exchange(0, ordering: .acquiringAndReleasing))
            else { return false }
            munmap(memory, byteCount)
            return true
        }
    }
}
