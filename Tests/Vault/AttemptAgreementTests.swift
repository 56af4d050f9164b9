import Secrets
import TestSupport
import Testing
import VaultPort

@testable import Vault

/// A PIN's tries under the policy, with the outcomes that a vault should report.
private struct PolicyModel {
    var policy = AttemptPolicy()
    var state = AttemptState.fresh

    /// Returns the outcome of a try. A destroyed secret is stored again.
    mutating func attempt(isRight: Bool, now: BootMoment) -> String {
        switch policy.spend(state, now: now) {
        case .exhausted:
            state = .fresh
            return "wiped"
        case .lockedOut(let seconds, let waiting):
            state = waiting
            return "locked out for \(seconds) s"
        case .spent(let spent):
            if isRight {
                state = policy.settleRight(spent)
                return "opened correct horse battery staple"
            }
            switch policy.settleWrong(spent) {
            case .left(let left):
                state = spent
                return "wrong, \(left) left"
            case .exhausted:
                state = .fresh
                return "wiped"
            }
        }
    }
}

private enum Operation {
    case attempt(isRight: Bool)
    /// Memory for the hash is missing after the try is spent.
    case noMemory
    case restart(isReboot: Bool)
    case wait(seconds: Int64)
    case setPolicy(AttemptPolicy)

    /// Returns mostly wrong PINs, so that last tries are reached.
    static func random(_ random: inout SeededGenerator) -> Operation {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<26: .attempt(isRight: false)
        case 26..<28: .attempt(isRight: true)
        case 28..<31: .noMemory
        case 31..<33: .restart(isReboot: Bool.random(using: &random))
        case 33..<36: .wait(seconds: Int64.random(in: 1...4_000, using: &random))
        default:
            .setPolicy(
                AttemptPolicy(
                    limit: Int.random(in: AttemptPolicy.limits, using: &random),
                    delays: Bool.random(using: &random) ? .growing : .none))
        }
    }
}

@Suite("The vaults and the policy")
struct AttemptAgreementTests {
    private static let operations = 150
    private static let wrong = secret("0000")

    @Test(
        "The box says what the policy says, through changed policies, restarts, reboots and missing memory",
        arguments: seeds)
    func box(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let fixture = try BoxFixture()
        var vault: BoxVault? = try fixture.open()
        let device = try await fixture.store(try #require(vault))
        var model = PolicyModel()
        for step in 0..<Self.operations {
            let place: Comment = "seed \(seed), step \(step)"
            let operation = Operation.random(&random)
            if case .restart(let isReboot) = operation {
                vault = nil
                if isReboot { fixture.clock.reboot() }
                vault = try fixture.open()
            }
            let open = try #require(vault)
            switch operation {
            case .attempt(let isRight):
                let words = try await fixture.open(open, device, pin: isRight ? nil : Self.wrong).words
                #expect(words == model.attempt(isRight: isRight, now: fixture.clock.moment), place)
                if words == "wiped" {
                    try await open.storeCredential(
                        device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret,
                        credential: fixture.credential)
                }
            case .noMemory:
                guard case .spent = model.policy.spend(model.state, now: fixture.clock.moment) else { continue }
                fixture.hasher.failHashes()
                #expect(await failure { _ = try await fixture.open(open, device) } == .outOfMemory, place)
                fixture.hasher.failHashes(false)
            case .restart:
                break
            case .wait(let seconds):
                fixture.clock.advance(seconds: seconds)
            case .setPolicy(let policy):
                model.policy = policy
            }
            await open.setPolicy(model.policy)
            #expect(try await open.credentialState(device)?.attemptsLeft == model.policy.left(model.state), place)
        }
    }

    @Test("Box and phone answer the same operations alike", arguments: seeds)
    func boxAndPhone(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let (box, phone) = (try BoxFixture(), try PhoneFixture())
        let (boxVault, phoneVault) = (try box.open(), try phone.open())
        await boxVault.setPolicy(PhoneVault.attemptPolicy)
        let device = try await box.store(boxVault)
        let id = try await phone.enrol(phoneVault)
        #expect(try await phoneVault.setCredential(phone.credential, for: id, pin: nil) == nil)
        #expect(try await phoneVault.changePIN(old: nil, new: box.pin) == nil)
        for step in 0..<Self.operations {
            let place: Comment = "seed \(seed), step \(step)"
            switch Operation.random(&random) {
            case .attempt(let isRight):
                let pin = isRight ? box.pin : Self.wrong
                let words = try await box.open(boxVault, device, pin: pin).words
                #expect(try await phoneVault.credential(for: id, pin: pin).words == words, place)
                guard words == "wiped" else { continue }
                try await boxVault.storeCredential(
                    device: device, pin: box.pin, deviceSecret: box.deviceSecret, credential: box.credential)
                #expect(try await phoneVault.setCredential(phone.credential, for: id, pin: nil) == nil)
                #expect(try await phoneVault.changePIN(old: nil, new: box.pin) == nil)
            case .noMemory:
                for hasher in [box.hasher, phone.hasher] { hasher.failHashes() }
                #expect(await failure { _ = try await box.open(boxVault, device) } == .outOfMemory, place)
                #expect(
                    await failure { _ = try await phoneVault.credential(for: id, pin: box.pin) } == .outOfMemory, place)
                for hasher in [box.hasher, phone.hasher] { hasher.failHashes(false) }
            default:
                continue
            }
            let left = try await phoneVault.attemptsLeft()
            #expect(try await boxVault.credentialState(device)?.attemptsLeft == left, place)
        }
    }
}
