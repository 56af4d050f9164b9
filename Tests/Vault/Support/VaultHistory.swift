import AuditLog
import Names
import PasswordHashing
import Secrets
import TestSupport
import Testing
import VaultPort
import VaultModel

@testable import Vault

/// The history of a vault under random commands, with every operation on its disk.
struct VaultHistory {
    /// One command, or one start or end of the agent.
    struct Step {
        let name: String
        /// The range of the step's operations on the disk.
        let operations: Range<Int>
        /// The number of operations before the vault first checked a PIN, or nil if no PIN was checked.
        let looked: Int?
        let before: VaultBelief
        /// The states between `before` and `after`: the try is counted, or the PIN was found correct.
        var between: [VaultBelief] = []
        let after: VaultBelief
        let boots: Int

        /// Returns the states that are valid after `count` operations.
        func allowed(after count: Int) -> [VaultBelief] {
            if count == operations.upperBound { return [after] }
            // Once the PIN was checked, the try must count.
            let isCounted = looked.map { count >= $0 && !between.isEmpty } ?? false
            return (isCounted ? [] : [before]) + between + [after]
        }

        /// Returns whether to crash after `count` operations. The beginning of a step counts as the end of the last,
        /// unless the vault checks a PIN there. While the vault is created, each third operation is enough.
        func isLookedInto(at count: Int) -> Bool {
            if operations.lowerBound == 0 { return count % 3 == 0 || count == operations.upperBound }
            return count > operations.lowerBound || operations.isEmpty || looked == count
        }
    }

    static let policy = AttemptPolicy(limit: 3)

    private let fixture: BoxFixture
    let disk: RecordedDisk
    private(set) var steps: [Step] = []
    private var vault: BoxVault?
    private var belief = VaultBelief()
    private var devices: [DeviceID] = []
    private var random: SeededGenerator
    private let hasher: LookedAt
    private var boots = 0

    var key: [UInt8] { Scratch.read(fixture.scratch.key) }

    init(seed: UInt64, commands: Int) async throws {
        fixture = try BoxFixture()
        disk = try RecordedDisk(directory: fixture.scratch.vault)
        hasher = LookedAt(hasher: fixture.hasher, disk: disk)
        random = SeededGenerator(seed: seed)
        belief.model.policy = Self.policy
        try await open()
        for number in 0..<commands {
            switch Int.random(in: 0..<16, using: &random) {
            case _ where number < 2: try await enrol()
            case 0: try await restart()
            case 1: try await enrol()
            default: try await perform(nextCommand())
            }
        }
        try close()
    }

    private mutating func open() async throws {
        let start = disk.count
        let opened = try BoxVault(
            directory: fixture.scratch.vault, executor: Lane(), clock: fixture.clock, hasher: hasher)
        await opened.setPolicy(Self.policy)
        vault = opened
        note("start", from: start, before: belief, after: belief)
    }

    private mutating func close() throws {
        let start = disk.count
        vault = nil
        note("end", from: start, before: belief, after: belief)
    }

    private mutating func restart() async throws {
        try close()
        if Bool.random(using: &random) {
            fixture.clock.reboot()
            boots += 1
            belief.model.reboot()
        }
        belief.model.reopen()
        try await open()
    }

    private mutating func note(
        _ name: String, from start: Int, before: VaultBelief, between: [VaultBelief?] = [], after: VaultBelief
    ) {
        steps.append(
            Step(
                name: name, operations: start..<disk.count, looked: hasher.takeLook(), before: before,
                between: between.compactMap { $0 }, after: after, boots: boots))
    }

    private mutating func enrol() async throws {
        guard devices.count < 4, let vault else { return }
        let (start, before) = (disk.count, belief)
        let number = UInt8(devices.count + 1)
        let answer = await vault.answer(
            .enrol(
                publicKey: [UInt8](repeating: number, count: 32), user: Array((number < 3 ? "ada" : "bob").utf8),
                label: [], mode: .boxHeld, by: .agent))
        guard case .device(let record) = answer else { throw VaultError.invalid(what: answer.words) }
        devices.append(record.id)
        belief.model.add(record)
        belief.log = try await vault.logged()
        note("enrol", from: start, before: before, after: belief)
    }

    private mutating func perform(_ command: VaultCommand) async throws {
        guard let vault else { return }
        let (start, before) = (disk.count, belief)
        let answer = await vault.answer(command)
        let end = disk.count
        let expected = belief.model.answer(command)
        try #require(answer.words == expected.words, "\(command.name)")
        belief.log = try await vault.logged()
        try #require(disk.count == end)
        note(
            command.name, from: start, before: before,
            between: [before.spent(by: command), before.opened(by: command)],
            after: belief)
    }

    private mutating func nextCommand() -> VaultCommand {
        guard let device = devices.randomElement(using: &random) else { return .readSessions }
        switch Int.random(in: 0..<32, using: &random) {
        case 0: return .wipe(devices, by: .agent, everything: true)
        case 1: return .append(AuditEvent(kind: .loginCorrect, user: nil, device: device, actor: .agent))
        case 2: return .noteUse(of: device)
        case 3 where devices.count == 4: return .revoke(Array(devices.suffix(2)), by: .agent)
        case 4..<20: return nextTry() ?? .random(device, &random)
        default: return .random(device, &random)
        }
    }

    /// Returns a try for a stored credential, mostly with a wrong PIN to reach last tries, or a command to store one.
    private mutating func nextTry() -> VaultCommand? {
        let half = secret([UInt8](repeating: 0xD5, count: 32))
        let stored = devices.filter { belief.model.state($0) != nil }
        guard let device = stored.first, let right = belief.model.devices[device]?.credential?.pin else {
            let active = devices.filter { belief.model.devices[$0]?.record.state == .active }
            guard let device = active.randomElement(using: &random) else { return nil }
            return .storeCredential(
                device, pin: secret("2468"), deviceSecret: half, credential: secret("correct horse"))
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .openCredential(device, pin: secret(right), deviceSecret: half)
        case 1: return .changePIN(device, old: secret(right), new: secret("1357"), deviceSecret: half)
        default: return .openCredential(device, pin: secret("0000"), deviceSecret: half)
        }
    }
}

/// Notes the number of disk operations at the first check of a PIN.
private struct LookedAt: PINHasher {
    let hasher: TestHasher
    let disk: RecordedDisk
    private let look = Guarded<Int?>(nil)

    init(hasher: TestHasher, disk: RecordedDisk) {
        self.hasher = hasher
        self.disk = disk
    }

    func takeLook() -> Int? {
        look { noted in
            defer { noted = nil }
            return noted
        }
    }

    func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation {
        try await hasher.reserve(cost)
    }

    func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        let count = disk.count
        look { if $0 == nil { $0 = count } }
        return try await hasher.hash(reservation, pin: pin, salt: salt)
    }
}
