import VaultPort

@testable import PasswordHashing
@testable import Secrets
@testable import Vault

/// A quick hash instead of Argon2id. It counts hashes, fails on demand, and can hold a hash until `release`.
final class TestHasher: PINHasher {
    private struct State {
        var tries = 0
        var reservationFails = false
        var hashFails = false
        /// The PINs whose hashes are to wait, the hashes that wait, and the callers that wait for a hash to start.
        var held: Set<[UInt8]> = []
        var waiting: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
        var arrivals: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Guarded(State())

    /// The number of hashes that were started.
    var tries: Int { state { $0.tries } }

    func failReservations(_ fails: Bool = true) { state { $0.reservationFails = fails } }
    func failHashes(_ fails: Bool = true) { state { $0.hashFails = fails } }

    /// Makes the hash of this PIN wait for `release`.
    func hold(_ pin: [UInt8]) {
        state { _ = $0.held.insert(pin) }
    }

    func release(_ pin: [UInt8]) {
        let waiting = state {
            $0.held.remove(pin)
            return $0.waiting.removeValue(forKey: pin) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns after a held hash of this PIN has started.
    func arrival(of pin: [UInt8]) async {
        await withCheckedContinuation { continuation in
            let isThere = state {
                guard $0.waiting[pin] == nil else { return true }
                $0.arrivals[pin, default: []].append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation {
        guard !state({ $0.reservationFails }) else { throw .outOfMemory }
        return try InlinePINHasher.reserveNow(PasswordHashCost(checkedMemoryKiB: 8, passes: 1))
    }

    func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        let bytes = pin.bytes.withBytes { span in
            (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        state { $0.tries += 1 }
        guard !state({ $0.hashFails }) else { throw .outOfMemory }
        if state({ $0.held.contains(bytes) }) {
            await withCheckedContinuation { continuation in
                let arrivals = state {
                    $0.waiting[bytes, default: []].append(continuation)
                    return $0.arrivals.removeValue(forKey: bytes) ?? []
                }
                for arrival in arrivals { arrival.resume() }
            }
        }
        guard let hash = try? Self.hash(pin.bytes, salt) else { throw .outOfMemory }
        return HeldSecret(hash)
    }

    static func hash(_ pin: borrowing SecretBytes, _ salt: [UInt8]) throws(SecretsError) -> SecretBytes {
        var hash = try KeyedHash(key: SecretBytes(copying: salt), context: "test/pin")
        hash.add(pin)
        return hash.finish()
    }
}
