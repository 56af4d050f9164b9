import EventLoop
import Secrets
import Vault
import VaultPort

/// Measures the lookup of a device by its public key, with 10 and with 100,000 enrolled devices.
struct LookupBenchmark {
    let directory: String
    let loop: EpollLoop

    private static let rounds = 500
    private static let lookupsPerRound = 2_000

    func run() async throws -> Measurement {
        let small = try await vault("small", devices: 10)
        let large = try await vault("large", devices: 100_000)
        var smallBest = Duration.seconds(1)
        var largeBest = Duration.seconds(1)
        // The two vaults alternate, so a slow moment of the machine affects both. The best times are compared.
        for _ in 0..<Self.rounds {
            smallBest = min(smallBest, try await small.vault.timeLookups(small.keys, count: Self.lookupsPerRound))
            largeBest = min(largeBest, try await large.vault.timeLookups(large.keys, count: Self.lookupsPerRound))
        }
        let each = { (total: Duration) in Measurement.short(total / .microseconds(Self.lookupsPerRound)) }
        return Measurement(
            name: "vault-lookup-10-to-100000", ratio: largeBest / smallBest, limit: 1.2,
            detail: "small=\(each(smallBest))us large=\(each(largeBest))us")
    }

    private func vault(_ name: String, devices: Int) async throws -> (vault: BoxVault, keys: [[UInt8]]) {
        let vault = try BoxVault(directory: "\(directory)/\(name)", executor: loop)
        let keys = (0..<devices).map { _ in randomBytes(count: X25519KeyPair.keyBytes) }
        try await vault.enrolAll(keys)
        return (vault, keys)
    }
}

extension BoxVault {
    fileprivate func enrolAll(_ keys: [[UInt8]]) throws {
        for (index, key) in keys.enumerated() {
            _ = try enrol(
                publicKey: key, user: Array("user\(index % 1_000)".utf8), label: Array("phone".utf8), mode: .phoneHeld)
        }
    }

    /// Returns the time of `count` lookups in scattered order. Runs inside the actor, to measure only the vault.
    fileprivate func timeLookups(_ keys: [[UInt8]], count: Int) throws -> Duration {
        var index = 0
        var found = 0
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count {
            index = (index + 7_919) % keys.count
            if try device(publicKey: keys[index])?.publicKey == keys[index] { found += 1 }
        }
        let elapsed = clock.now - start
        guard found == count else { throw VaultError.notFound(what: "device") }
        return elapsed
    }
}
