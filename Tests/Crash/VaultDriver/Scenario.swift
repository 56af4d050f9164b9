import EventLoop
import FaultyDisk
import Secrets
import Vault
import VaultPort

/// The driver's work on the vault.
enum Scenario: String, Sendable {
    /// Enrolments, stored credentials, wrong PINs and revocations in random order, until the process is killed.
    case storm
    /// The same steps each time, with every kind of step.
    case script
    /// Opens the vault and lists its contents.
    case check

    /// Returns the exit code: 0 on success, or 1 if the vault refused. Prints the reason on standard error.
    func run(in directory: String, seed: UInt64, loop: EpollLoop) async -> Int32 {
        do {
            let hasher = try ReportingHasher()
            let vault = try BoxVault(directory: directory, executor: loop, hasher: hasher)
            try await list(vault)
            let steps = Steps(vault: vault)
            switch self {
            case .storm: try await storm(steps, seed: seed)
            case .script: try await script(steps)
            case .check: break
            }
            Report.say("done \(faulty_disk_operations())")
            return 0
        } catch {
            Report.complain("\(error)")
            return 1
        }
    }

    /// Lists the contents of the files. The audit log's chain and the structure of the file must be valid.
    private func list(_ vault: BoxVault) async throws {
        try await vault.checkIntegrity()
        guard case .intact(let entries, _) = try await vault.verifyAudit() else {
            throw VaultError.invalid(what: "the audit log is broken")
        }
        for device in try await vault.devices() {
            let left = try await vault.credentialState(device.id).map { "\($0.attemptsLeft)" } ?? "none"
            let state = device.state == .active ? "active" : "revoked"
            guard try await vault.device(publicKey: device.publicKey) == device else {
                throw VaultError.invalid(what: "the directory differs from the table")
            }
            Report.say("device \(device.id) \(state) \(left)")
        }
        Report.say("listed \(entries)")
    }

    private func storm(_ steps: Steps, seed: UInt64) async throws {
        var random = SplitMix(state: seed)
        var devices = try await steps.vault.devices().filter { $0.state == .active }.map(\.id)
        while true {
            let index = devices.isEmpty ? 0 : Int(random.next() % UInt64(devices.count))
            switch random.next() % 20 {
            case 0: devices.append(try await steps.enrol())
            case 1 where devices.count > 4:
                try await steps.revoke(devices.remove(at: index))
            case 2: _ = try await steps.audit()
            default:
                if devices.count < 3 {
                    devices.append(try await steps.enrol())
                } else if try await steps.vault.credentialState(devices[index]) == nil {
                    try await steps.store(devices[index])
                } else {
                    try await steps.open(devices[index], isRight: false)
                }
            }
        }
    }

    private func script(_ steps: Steps) async throws {
        let first = try await steps.enrol()
        let second = try await steps.enrol()
        try await steps.store(first)
        try await steps.open(first, isRight: true)
        try await steps.store(second)
        for _ in 0..<3 { try await steps.open(second, isRight: false) }
        try await steps.audit()
        try await steps.change(first)
        try await steps.store(second)
        for _ in 0..<10 { try await steps.open(second, isRight: false) }
        try await steps.revoke(first)
        _ = try await steps.enrol()
    }
}

/// A reproducible random generator (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
