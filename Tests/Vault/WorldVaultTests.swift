import AuditLog
import Names
import Secrets
import TestSupport
import Testing
import VaultPort
import VaultModel

@testable import Vault

/// The simulation uses a model of the vault. The model and the real vault must answer each command alike.
@Suite("The simulation's vault, beside the real one")
struct WorldVaultTests {
    private struct Pair {
        let fixture: BoxFixture
        var vault: BoxVault?
        var model = ModelVault()
        var devices: [DeviceID] = []
        var random: SeededGenerator

        init(seed: UInt64) throws {
            fixture = try BoxFixture()
            vault = try fixture.open()
            random = SeededGenerator(seed: seed)
        }

        mutating func enrol() async throws {
            guard let vault, devices.count < 4 else { return }
            let number = UInt8(devices.count + 1)
            let record = try await vault.enrol(
                publicKey: [UInt8](repeating: number, count: 32), user: Array((number < 3 ? "ada" : "bob").utf8),
                label: [], mode: .boxHeld)
            model.add(record)
            devices.append(record.id)
        }

        /// Restarts the agent or the whole machine.
        mutating func restart(reboots: Bool) throws {
            vault = nil
            if reboots {
                fixture.clock.reboot()
                model.reboot()
            }
            vault = try fixture.open()
            model.reopen()
        }
    }

    @Test("Random commands have the same answers, across crashes and reboots", arguments: seeds)
    func agrees(seed: UInt64) async throws {
        var pair = try Pair(seed: seed)
        for step in 0..<400 {
            switch Int.random(in: 0..<40, using: &pair.random) {
            case 0: try pair.restart(reboots: Bool.random(using: &pair.random))
            case 1, 2, 3: try await pair.enrol()
            default:
                guard let vault = pair.vault, let device = pair.devices.randomElement(using: &pair.random) else {
                    continue
                }
                let command = VaultCommand.random(device, &pair.random)
                let real = await vault.answer(command).words
                let model = pair.model.answer(command).words
                try #require(real == model, "seed \(seed), step \(step): \(command.name)")
            }
        }
    }
}
