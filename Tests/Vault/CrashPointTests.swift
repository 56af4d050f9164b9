import Glibc
import Names
import Secrets
import TestSupport
import Testing
import VaultPort
import VaultModel

@testable import Vault

/// Simulates a crash at every operation on the disk. If the process ends, the written data remain. If the power fails,
/// synced data and parts of the rest remain. The vault must then open and match the model before or after the command,
/// or between its steps.
@Suite("A crash at every write of the vault")
struct CrashPointTests {
    /// One in this number of starts after a crash also ends in a crash.
    private static let nested = 64

    @Test(
        "What is there then is as before the command or as after it, and as after it once it was answered",
        arguments: seeds)
    func everyWrite(seed: UInt64) async throws {
        print("crash points: seed \(seed)")
        let history = try await VaultHistory(seed: seed, commands: 40)
        let opener = try CrashOpener(key: history.key)
        var random = SeededGenerator(seed: seed ^ 0x6372_6173_68)
        var disk = CrashedDisk([.database: []])
        var crashes = 0
        for step in history.steps {
            let points = step.operations.lowerBound...step.operations.upperBound
            for point in points {
                if point > points.lowerBound { disk.apply(try history.disk.operation(point - 1)) }
                guard step.isLookedInto(at: point) else { continue }
                let allowed = step.allowed(after: point)
                for losesPower in [false, true] {
                    let place = """
                        seed \(seed), \(step.name), operation \(point - points.lowerBound) of \(points.count - 1), \
                        \(losesPower ? "power lost" : "process ended")
                        """
                    let files = losesPower ? disk.afterPowerLoss(&random) : disk.files
                    let isNested = crashes % Self.nested == 0
                    crashes += 1
                    try await opener.check(
                        files, allowed, boots: step.boots + (losesPower ? 1 : 0), reboots: losesPower,
                        nested: isNested ? SeededGenerator(seed: seed &+ UInt64(crashes)) : nil, place)
                }
            }
        }
        print(
            "crash points: seed \(seed), \(history.steps.count) steps, \(crashes) crashes, \(opener.nested) in starts")
    }
}

/// Opens the files after a crash, and compares them with the model.
private final class CrashOpener {
    private let scratch: Scratch
    private let key: [UInt8]
    /// The number of crashes during starts after a crash.
    private(set) var nested = 0

    init(key: [UInt8]) throws {
        self.key = key
        scratch = try Scratch()
    }

    /// - Parameter nested: If set, the start after the crash is also made to crash, at each of its operations.
    func check(
        _ files: CrashedDisk.Files, _ allowed: [VaultBelief], boots: Int, reboots: Bool, nested: SeededGenerator?,
        _ place: String
    ) async throws {
        try put(files)
        let disk = try RecordedDisk(directory: scratch.vault)
        let opened = try await look(disk, allowed, boots: boots, reboots: reboots, place)
        guard var random = nested else { return }
        var left = CrashedDisk(files)
        for point in 0..<opened {
            left.apply(try disk.operation(point))
            let losesPower = point % 2 == 0
            try put(losesPower ? left.afterPowerLoss(&random) : left.files)
            self.nested += 1
            _ = try await look(
                try RecordedDisk(directory: scratch.vault), allowed, boots: boots + (losesPower ? 1 : 0),
                reboots: reboots || losesPower, "\(place), and again at operation \(point + 1) of the start")
        }
    }

    private func put(_ files: CrashedDisk.Files) throws {
        for name in Scratch.names(in: scratch.vault) { unlink(scratch.vault + "/" + name) }
        mkdir(scratch.vault, 0o700)
        try scratch.write(key, to: scratch.key)
        for (file, bytes) in files { try scratch.write(bytes, to: scratch.database + file.suffix) }
    }

    /// Opens the vault and compares it with `allowed`. Returns the number of operations that the start took.
    private func look(
        _ disk: RecordedDisk, _ allowed: [VaultBelief], boots: Int, reboots: Bool, _ place: String
    ) async throws -> Int {
        let clock = TestClock()
        for _ in 0..<boots { clock.reboot() }
        let vault: BoxVault
        do {
            vault = try BoxVault(directory: scratch.vault, executor: Lane(), clock: clock, hasher: TestHasher())
        } catch {
            Issue.record("\(place): the vault does not open: \(error)")
            throw error
        }
        let opened = disk.count
        await vault.setPolicy(VaultHistory.policy)
        let found = try await vault.sight()
        let beliefs = allowed.map { belief in
            var belief = belief
            if reboots { belief.model.reboot() }
            belief.model.reopen()
            return belief
        }
        guard let belief = beliefs.first(where: { $0.sight == found }) else {
            let differing = beliefs.map { Set($0.sight).symmetricDifference(found).sorted() }
            Issue.record("\(place): neither before nor after; in one and not in the other: \(differing)")
            throw VaultError.invalid(what: "the vault differs from its model")
        }
        try await open(vault, belief, place)
        guard case .intact = try await vault.verifyAudit() else {
            Issue.record("\(place): the audit log is broken")
            throw VaultError.invalid(what: "the audit log is broken")
        }
        return opened
    }

    /// Opens each credential with its expected PIN.
    private func open(_ vault: BoxVault, _ belief: VaultBelief, _ place: String) async throws {
        var model = belief.model
        for (id, device) in belief.model.devices {
            guard let pin = device.credential?.pin else { continue }
            let command = VaultCommand.openCredential(
                id, pin: secret(pin), deviceSecret: secret([UInt8](repeating: 0xD5, count: 32)))
            let (real, expected) = (await vault.answer(command).words, model.answer(command).words)
            try #require(real == expected, "\(place): \(id)")
        }
    }
}
