import PasswordHashing
import AuditLog
import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("Enrolled devices")
struct DeviceTests {
    @Test("A device is found by its public key and its id, with what was given, also after a restart")
    func enrolled() async throws {
        let fixture = try BoxFixture()
        let odd: [UInt8] = [0xFF, 0x27, 0x3B, 0x0A, 0xC3]
        let record: DeviceRecord
        do {
            let vault = try fixture.open()
            record = try await vault.enrol(
                publicKey: [UInt8](repeating: 4, count: 32), user: odd, label: Array("my phone".utf8), mode: .boxHeld)
            #expect(record.user == odd && record.state == .active && record.mode == .boxHeld)
            #expect(record.enrolledAt == fixture.clock.unixSeconds && record.lastUsedAt == nil)
        }
        let vault = try fixture.open()
        #expect(try await vault.device(publicKey: [UInt8](repeating: 4, count: 32)) == record)
        #expect(try await vault.device(record.id) == record)
        #expect(try await vault.devices() == [record])
        #expect(try await vault.devices(of: odd) == [record])
    }

    @Test(
        "A page stays one, after a restart, a use and its revocation; other phones are none",
        arguments: [CredentialMode.phoneHeld, .boxHeld])
    func pages(mode: CredentialMode) async throws {
        let fixture = try BoxFixture()
        let keys = [[UInt8](repeating: 4, count: 32), [UInt8](repeating: 5, count: 32)]
        let page: DeviceID
        do {
            let vault = try fixture.open()
            page = try await vault.enrol(publicKey: keys[0], user: [97], label: [], mode: mode, isWeb: true).id
            #expect(try await !vault.enrol(publicKey: keys[1], user: [97], label: [], mode: mode).isWeb)
        }
        let vault = try fixture.open()
        func isPage(_ key: [UInt8]) async throws -> Bool? {
            let record = try await vault.device(publicKey: key)
            #expect(record?.mode == mode)
            return record?.isWeb
        }
        #expect(try await isPage(keys[0]) == true)
        #expect(try await isPage(keys[1]) == false)
        try await vault.noteUse(of: page)
        try await vault.revoke([page])
        #expect(try await isPage(keys[0]) == true)
        #expect(try await vault.device(page)?.isWeb == true)
    }

    @Test("A user who has another name keeps all devices, which are found by key and name, also after a restart")
    func renamed() async throws {
        let fixture = try BoxFixture()
        let (old, new) = (Array("anna@corp.example".utf8), Array("anna".utf8))
        func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }
        do {
            let vault = try fixture.open()
            for (number, user) in [(4, old), (5, new), (6, old), (7, [98])] as [(UInt8, [UInt8])] {
                _ = try await vault.enrol(publicKey: key(number), user: user, label: [number], mode: .boxHeld)
            }
            let gone = try #require(try await vault.device(publicKey: key(6)))
            try await vault.revoke([gone.id])
            for renamed in [1, 0] {
                let result = try await vault.compare(old, as: new, uid: 5_000)
                #expect(result.renamed == renamed && result.now == 2 && result.others.isEmpty)
            }
        }
        for vault in [try fixture.open()] {
            for (number, user) in [(4, new), (5, new), (6, new), (7, [98])] as [(UInt8, [UInt8])] {
                let record = try #require(try await vault.device(publicKey: key(number)))
                #expect(record.user == user && record.label == [number] && record.publicKey == key(number))
            }
            #expect(try await vault.device(publicKey: key(6))?.state == .revoked)
            #expect(try await vault.devices(of: old).isEmpty)
            let all = try await vault.auditEntries(after: 0, limit: 100)
            let entries = all.filter { $0.event == Array("user-renamed".utf8) }
            #expect(entries.map(\.user) == [new, new])
            #expect(entries.allSatisfy { $0.detail == Array("was ".utf8) + old })
        }
    }

    @Test("An unknown key, or one of another length, is no device", arguments: [0, 31, 32, 33])
    func unknown(count: Int) async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        _ = try await fixture.enrol(vault, 1)
        #expect(try await vault.device(publicKey: [UInt8](repeating: 2, count: count)) == nil)
        #expect(try await vault.device(publicKey: [UInt8](repeating: 1, count: count)) == nil || count == 32)
    }

    @Test("A key is enrolled once, also after it was revoked")
    func once() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.enrol(vault, 1)
        #expect(await failure { _ = try await fixture.enrol(vault, 1, user: "bob") } == .alreadyEnrolled)
        try await vault.revoke([device])
        #expect(await failure { _ = try await fixture.enrol(vault, 1, user: "bob") } == .alreadyEnrolled)
        #expect(try await vault.devices().count == 1)
    }

    @Test(
        "Names that PAM could not mean are refused",
        arguments: [[], [UInt8](repeating: 97, count: 256), [97, 0, 98]])
    func badUsers(user: [UInt8]) async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let error = await failure {
            _ = try await vault.enrol(
                publicKey: [UInt8](repeating: 1, count: 32), user: user, label: [], mode: .phoneHeld)
        }
        #expect(error != nil)
        #expect(try await vault.devices().isEmpty)
    }

    @Test("Several devices are revoked in one step, each with its entry, or none of them is")
    func revokedTogether() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let first = try await fixture.enrol(vault, 1)
        let second = try await fixture.enrol(vault, 2)
        #expect(await failure { try await vault.revoke([first, second, DeviceID()]) } == .notFound(what: "device"))
        #expect(try await vault.activeDeviceCount() == 2)
        #expect(try await vault.device(publicKey: [UInt8](repeating: 1, count: 32))?.state == .active)
        // The log has only the two entries of the enrolments.
        #expect(try await vault.auditHead().number == 2)
        let actor = AuditActor.person(uid: 0, login: Array("anna".utf8))
        #expect(try await vault.revoke([first, second], by: actor).unfinished == nil)
        #expect(try await vault.activeDeviceCount() == 0)
        let entries = try await vault.auditEntries(after: 2, limit: 10)
        #expect(entries.map(\.device) == [first.bytes, second.bytes] && entries.allSatisfy { $0.actor == actor })
        #expect(try await vault.verifyAudit() == .intact(entries: 4, first: 1))
    }

    @Test("Revoking is at once, for good, and wipes what the device stored")
    func revoked() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.store(vault)
            try await vault.setDeadline(.awayLogout, device: device, at: .seconds(2_000))
            try await vault.revoke([device])
            #expect(try await vault.device(publicKey: [UInt8](repeating: 1, count: 32))?.state == .revoked)
            #expect(try await vault.credentialState(device) == nil)
            #expect(try await vault.deadlines().isEmpty)
            #expect(try await vault.activeDeviceCount() == 0)
        }
        let vault = try fixture.open()
        #expect(try await vault.device(publicKey: [UInt8](repeating: 1, count: 32))?.state == .revoked)
        #expect(await failure { try await vault.revoke([DeviceID()]) } == .notFound(what: "device"))
    }

    @Test("A use is noted where the device is looked up")
    func used() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.enrol(vault, 1)
        fixture.clock.advance(seconds: 77)
        try await vault.noteUse(of: device)
        let found = try await vault.device(publicKey: [UInt8](repeating: 1, count: 32))
        #expect(found?.lastUsedAt == fixture.clock.unixSeconds)
        #expect(try await vault.device(device) == found)
    }

    @Test("A device is named by any beginning of its id, in either case; many may begin alike")
    func prefixes() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        var ids: [DeviceID] = []
        for seed in 1...200 { ids.append(try await fixture.enrol(vault, UInt8(seed))) }
        for id in ids.prefix(20) {
            let text = Array(id.description.utf8)
            for count in [1, 2, 5, 25, 26] {
                let prefix = Array(text.prefix(count))
                let expected = Set(ids.filter { $0.description.utf8.starts(with: prefix) })
                #expect(Set(try await vault.devices(matching: prefix).map(\.id)) == expected)
            }
            #expect(try await vault.devices(matching: Array(id.description.uppercased().utf8)).map(\.id) == [id])
        }
        for text in ["", "u", "!", "0000000000000000000000000000", "00000000000000000000000001"] {
            #expect(try await vault.devices(matching: Array(text.utf8)).isEmpty)
        }
    }

    @Test("The directory in memory agrees with the table, through growth and every change")
    func directory() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        for index in 0..<300 {
            let key = SHA256.hash([UInt8(index & 255), UInt8(index >> 8)])
            let label = [UInt8](repeating: 66, count: index % 65)
            let device = try await vault.enrol(
                publicKey: key, user: Array("u\(index)".utf8), label: label,
                mode: index % 2 == 0 ? .boxHeld : .phoneHeld)
            fixture.clock.advance(seconds: 1)
            if index % 3 == 0 { try await vault.noteUse(of: device.id) }
            if index % 5 == 0 { try await vault.revoke([device.id]) }
        }
        let records = try await vault.devices()
        #expect(records.count == 300)
        for record in records { #expect(try await vault.device(publicKey: record.publicKey) == record) }
    }
}

@Suite("The box's own keys")
struct IdentityTests {
    @Test("They are made once: digits, keys and serial stay over restarts, and differ between boxes")
    func stable() async throws {
        let fixture = try BoxFixture()
        let read = { (vault: BoxVault) in
            try await vault.withKeys { (key, authority, serial) throws(VaultError) in
                (key.publicKey, authority.publicKey, serial)
            }
        }
        let first: ([UInt8], [UInt8], UInt64)
        let digits: [UInt8]
        do {
            let vault = try fixture.open()
            digits = await vault.boxID
            first = try await read(vault)
        }
        #expect(digits.count == 4 && digits.allSatisfy { (0x30...0x39).contains($0) })
        let vault = try fixture.open()
        #expect(await vault.boxID == digits)
        #expect(try await read(vault) == first)
        let other = try BoxFixture()
        #expect(try await read(try other.open()).0 != first.0)
    }

    @Test("Private keys are in no file in the clear")
    func sealed() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let (key, seed) = try await vault.withKeys { (pair, authority, _) throws(VaultError) in
            (
                pair.withPrivateKey { span in HeldSecret(SecretBytes(copying: span)) },
                authority.withSeed { span in HeldSecret(SecretBytes(copying: span)) }
            )
        }
        let files = fixture.scratch.files()
        #expect(files.count == 3)
        for planted in [key.plain, seed.plain] {
            #expect(planted.count == 32)
            #expect(!files.values.contains { $0.holds(planted) })
        }
        // The box secret itself does not open sealed data, because the sealing key is another.
        let sealed = try await vault.onDatabase { try $0.first("SELECT static_key FROM box_identity") { $0.bytes(0) } }
        let place = SealedColumn(table: "box_identity", column: "static_key", row: [1])
        let boxSecret = SecretBytes(copying: Scratch.read(fixture.scratch.key))
        let isOpened = place.open(try #require(sealed), key: boxSecret) != nil
        #expect(!isOpened)
    }

    @Test("The cost of a PIN hash is measured once and kept")
    func cost() async throws {
        let fixture = try BoxFixture()
        let cost = try PasswordHashCost(memoryKiB: 65_536, passes: 4)
        do {
            let vault = try fixture.open()
            #expect(try await vault.storedCost() == nil)
            try await vault.setCost(cost)
        }
        let vault = try fixture.open()
        #expect(try await vault.storedCost() == cost)
        await vault.useCost(cost)
        _ = try await fixture.store(vault)
        let stored = try await vault.onDatabase { database in
            try database.first("SELECT memory_kib, passes FROM credentials") { [$0.integer(0), $0.integer(1)] }
        }
        #expect(stored == [65_536, 4])
    }
}

@Suite("Timers that outlive the agent")
struct TimerTests {
    @Test("A deadline comes back after a restart within the boot, and is dropped after a reboot")
    func deadlines() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.enrol(vault)
            try await vault.setDeadline(.awayLogout, device: device, at: .seconds(1_060))
            try await vault.setDeadline(.awayLogout, device: device, at: .milliseconds(1_090_500))
        }
        do {
            let vault = try fixture.open()
            let expected = StoredDeadline(device: device, kind: .awayLogout, at: .milliseconds(1_090_500))
            #expect(try await vault.deadlines() == [expected])
        }
        fixture.clock.reboot()
        let vault = try fixture.open()
        #expect(try await vault.deadlines().isEmpty)
    }

    @Test("A deadline that is cleared stays cleared")
    func cleared() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            let device = try await fixture.enrol(vault)
            try await vault.setDeadline(.awayLogout, device: device, at: .seconds(1_060))
            try await vault.clearDeadline(.awayLogout, device: device)
        }
        #expect(try await fixture.open().deadlines().isEmpty)
    }

    @Test("The time until the automatic logout is each device's own, and none until one is chosen")
    func autoLogout() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let first = try await fixture.enrol(vault, 1)
        let second = try await fixture.enrol(vault, 2)
        try await vault.setAutoLogout(900, device: first)
        #expect(try await vault.autoLogout(device: first) == 900)
        #expect(try await vault.autoLogout(device: second) == nil)
        try await vault.setAutoLogout(0, device: first)
        #expect(try await vault.autoLogout(device: first) == 0)
        #expect(await failure { try await vault.setAutoLogout(1, device: DeviceID()) } == .notFound(what: "device"))
    }

    @Test("Linux tells this boot from others, and its clocks go forward")
    func systemClock() {
        let clock = SystemVaultClock()
        #expect(clock.bootID.count == 36)
        #expect(clock.bootID == SystemVaultClock().bootID)
        #expect(clock.sinceBoot <= clock.sinceBoot && clock.sinceBoot > .zero)
        #expect(clock.unixSeconds > 1_600_000_000)
    }

    @Test("Thresholds that a device measured are kept for it alone, replaced and forgotten, like its being watched")
    func thresholds() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.enrol(vault, 1)
        let other = try await fixture.enrol(vault, 2)
        #expect(try await vault.presenceThresholds(device: device) == nil)
        try await vault.setPresenceThresholds(StoredThresholds(nearDBm: -62, farDBm: -85), device: device)
        try await vault.setPresenceThresholds(StoredThresholds(nearDBm: -66, farDBm: -90), device: device)
        #expect(
            try await vault.presenceThresholds(device: device) == StoredThresholds(nearDBm: -66, farDBm: -90))
        #expect(try await vault.presenceThresholds(device: other) == nil)
        try await vault.setPresenceThresholds(nil, device: device)
        #expect(try await vault.presenceThresholds(device: device) == nil)
        #expect(try await !vault.isPresenceWatched(device: device))
        try await vault.setPresenceWatched(true, device: device)
        try await vault.setPresenceWatched(true, device: device)
        #expect(try await vault.isPresenceWatched(device: device))
        try await vault.setPresenceWatched(true, device: other)
        try await vault.setPresenceWatched(false, device: other)
        try await vault.forgetPresenceWithoutSessions()
        #expect(try await !vault.isPresenceWatched(device: device))
        let stranger = StoredThresholds(nearDBm: -60, farDBm: -80)
        #expect(await failure { try await vault.setPresenceThresholds(stranger, device: DeviceID()) } != nil)
    }
}
