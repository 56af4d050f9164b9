import PasswordHashing
import EventLoop
import FaultyDisk
import Secrets
import Vault
import VaultPort

/// Counts the durable transactions from the start of a PIN try to the start of its hash. There must be exactly one.
struct AttemptBenchmark {
    let directory: String
    let loop: EpollLoop

    private static let attempts = 9

    /// Notes the number of commits at the start of each hash.
    private actor Hasher: PINHasher {
        private(set) var commitsAtHash: [UInt64] = []

        func hash(
            _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
        ) async throws(VaultError) -> HeldSecret {
            commitsAtHash.append(faulty_disk_commits())
            return try InlinePINHasher.hashNow(reservation, pin: pin, salt: salt)
        }
    }

    func run() async throws -> Measurement {
        let hasher = Hasher()
        let vault = try BoxVault(directory: "\(directory)/attempts", executor: loop, hasher: hasher)
        let device = try await vault.enrol(
            publicKey: randomBytes(count: 32), user: Array("ada".utf8), label: [], mode: .boxHeld
        ).id
        let deviceSecret = HeldSecret(SecretBytes(randomCount: 32))
        let pin = HeldSecret(SecretBytes(copying: Array("2468".utf8)))
        try await vault.storeCredential(
            device: device, pin: pin, deviceSecret: deviceSecret, credential: HeldSecret(SecretBytes(copying: [1, 2])))
        var counts: Set<UInt64> = []
        for attempt in 1...Self.attempts {
            let before = faulty_disk_commits()
            // Correct and wrong PINs cost the same.
            let tried = attempt % 2 == 0 ? pin : HeldSecret(SecretBytes(copying: Array("1357".utf8)))
            _ = try await vault.openCredential(device: device, pin: tried, deviceSecret: deviceSecret)
            guard let atHash = await hasher.commitsAtHash.last else { throw VaultError.notFound(what: "hash") }
            counts.insert(atHash - before)
        }
        // No transaction is as wrong as two: a PIN could be checked without a spent try.
        let ratio = counts == [1] ? 1 : Double(counts.max() ?? 0) + 1
        return Measurement(
            name: "vault-pin-attempt-transactions", ratio: ratio, limit: 1,
            detail: "transactions=\(counts.sorted()) attempts=\(Self.attempts)")
    }
}
