import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

/// A short model of a box's vault.
private struct Model {
    struct Device {
        var user: String
        var isActive = true
        var pin: String?
        var credential = ""
        var attempts = 0
        var stale = false
        var wasWiped = false
    }

    var devices: [Device] = []

    mutating func open(_ index: Int, _ pin: String) -> String {
        guard let right = devices[index].pin else { return devices[index].wasWiped ? "wiped" : "no credential" }
        devices[index].attempts += 1
        if pin == right {
            devices[index].attempts = 0
            return devices[index].stale ? "stale" : "opened \(devices[index].credential)"
        }
        if devices[index].attempts == 10 {
            wipe(index)
            return "wiped"
        }
        return "wrong, \(10 - devices[index].attempts) left"
    }

    mutating func wipe(_ index: Int) {
        guard devices[index].pin != nil else { return }
        devices[index].pin = nil
        devices[index].wasWiped = true
        devices[index].attempts = 0
        devices[index].stale = false
    }

    mutating func store(_ index: Int, _ pin: String, _ credential: String) -> Bool {
        guard devices[index].isActive else { return false }
        devices[index].pin = pin
        devices[index].credential = credential
        devices[index].attempts = 0
        devices[index].stale = false
        devices[index].wasWiped = false
        return true
    }
}

/// A reproducible random generator (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite("The vault against a model")
struct ModelTests {
    private static let operations = 250
    private static let pins = ["1111", "2222", "3333"]
    private static let users = ["ada", "bob"]

    @Test("Whatever is done in whatever order, restarts included, the vault does what the model says", arguments: 0..<6)
    func randomOperations(run: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("model test: seed \(seed)")
        var random = SplitMix(state: seed)
        let fixture = try BoxFixture()
        var model = Model()
        var ids: [DeviceID] = []
        var vault: BoxVault? = try fixture.open()
        for step in 0..<Self.operations {
            if Int.random(in: 0..<25, using: &random) == 0 {
                vault = nil
                vault = try fixture.open()
            }
            let open = try #require(vault)
            let place: Comment = "seed \(seed), step \(step)"
            if ids.count < 5 {
                let user = Self.users[ids.count % 2]
                ids.append(try await fixture.enrol(open, UInt8(ids.count + 1), user: user))
                model.devices.append(Model.Device(user: user))
            }
            try await perform(step, place, fixture, open, ids, &model, &random)
            try await compare(open, ids, model, place)
        }
    }

    private func perform(
        _ step: Int, _ place: Comment, _ fixture: BoxFixture, _ vault: BoxVault, _ ids: [DeviceID],
        _ model: inout Model, _ random: inout SplitMix
    ) async throws {
        let index = Int.random(in: ids.indices, using: &random)
        let pin = Self.pins[Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<65:
            // Mostly wrong PINs, so that ten tries are reached.
            let tried = Int.random(in: 0..<3, using: &random) == 0 ? pin : "0000"
            #expect(
                try await fixture.open(vault, ids[index], pin: secret(tried)).words == model.open(index, tried), place)
        case 65..<83:
            let credential = "password \(step)"
            let error = await failure {
                try await vault.storeCredential(
                    device: ids[index], pin: secret(pin), deviceSecret: fixture.deviceSecret,
                    credential: secret(credential))
            }
            #expect((error == nil) == model.store(index, pin, credential), place)
        case 83..<91:
            let new = Self.pins[Int.random(in: 0..<3, using: &random)]
            let words = try await vault.changePIN(
                device: ids[index], old: secret(pin), new: secret(new), deviceSecret: fixture.deviceSecret)?.words
            let expected = model.open(index, pin)
            // The PIN of a stale credential may be changed.
            let isRight = expected.hasPrefix("opened") || expected == "stale"
            #expect(words == (isRight ? nil : expected), place)
            if isRight { model.devices[index].pin = new }
        case 91..<94:
            let wiped = try await vault.wipe(ids[index])
            #expect(wiped == (model.devices[index].pin != nil), place)
            model.wipe(index)
        case 94..<98:
            let user = Self.users[index % 2]
            _ = try await vault.markStale(user: Array(user.utf8))
            for other in model.devices.indices
            where model.devices[other].user == user && model.devices[other].pin != nil {
                model.devices[other].stale = true
            }
        default:
            try await vault.revoke([ids[index]])
            model.wipe(index)
            model.devices[index].isActive = false
        }
    }

    private func compare(_ vault: BoxVault, _ ids: [DeviceID], _ model: Model, _ place: Comment) async throws {
        for (id, device) in zip(ids, model.devices) {
            let expected = device.pin.map { _ in
                CredentialState(attemptsLeft: UInt8(10 - device.attempts), stale: device.stale)
            }
            #expect(try await vault.credentialState(id) == expected, place)
            #expect(try await vault.device(id)?.state == (device.isActive ? .active : .revoked), place)
        }
    }
}
