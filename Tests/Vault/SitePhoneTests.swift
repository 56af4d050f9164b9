import AuditLog
import Names
import Testing
import VaultPort

@testable import Vault

@Suite("Phones of the box's site, in the vault")
struct SitePhoneTests {
    private func phone(_ number: UInt8, kept: UInt8 = 1, user: String = "ana") -> StoredSitePhone {
        StoredSitePhone(
            device: DeviceID(known: [UInt8](repeating: number, count: 16)),
            publicKey: [UInt8](repeating: number, count: 32), user: Array(user.utf8),
            kept: [UInt8](repeating: kept, count: 190))
    }

    private func session(_ number: UInt8) -> StoredSession {
        StoredSession(
            logindID: [number], device: phone(number).device, user: Array("ana".utf8), terminal: nil,
            openedMicroseconds: 5, openedAt: .seconds(7), extensions: 0)
    }

    @Test("A phone is a device like others, with an entry of the log, and is found by its key after a restart")
    func admitted() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            let (record, gone) = try await vault.admitSitePhone(phone(1), sparing: [])
            #expect(record.isOfSite && record.state == .active && record.mode == .phoneHeld && gone.isEmpty)
            #expect(record.label == Array("site phone".utf8))
            _ = try await vault.admitSitePhone(phone(1, kept: 2), sparing: [])
            try await vault.noteUse(of: record.id)
        }
        let vault = try fixture.open()
        #expect(try await vault.sitePhones() == [phone(1, kept: 2)])
        #expect(try await vault.device(publicKey: phone(1).publicKey)?.isOfSite == true)
        let kinds = try await vault.auditEntries(after: 0, limit: 10).map(\.event)
        #expect(kinds.count == 1, "another grant is no other phone")
    }

    @Test("One too many: the one that came longest ago goes, but for whoever owns a session or is here")
    func makesRoom() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        for number in UInt8(1)...4 {
            fixture.clock.advance(seconds: 1)
            _ = try await vault.admitSitePhone(phone(number), sparing: [], limit: 4)
        }
        try await vault.keepSession(session(1))
        fixture.clock.advance(seconds: 1)
        try await vault.noteUse(of: phone(3).device)
        let (_, gone) = try await vault.admitSitePhone(phone(5), sparing: [phone(2).device], limit: 4)
        #expect(gone == [phone(4).device], "1 owns a session, 2 is here, 3 came later")
        #expect(try await vault.device(publicKey: phone(4).publicKey) == nil)
        #expect(try await vault.device(phone(4).device) == nil)
        for number in [UInt8(1), 2, 3, 5] {
            #expect(try await vault.device(publicKey: phone(number).publicKey)?.state == .active)
        }
        await #expect(throws: VaultError.busy) {
            try await vault.admitSitePhone(
                phone(6), sparing: [2, 3, 5].map { phone($0).device }, limit: 4)
        }
        #expect(try await vault.sitePhones().count == 4, "and nothing was written")
    }

    @Test("What the site took back is gone; a device that owns a session stays, revoked, until the session is over")
    func dropped() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            for number in UInt8(1)...3 { _ = try await vault.admitSitePhone(phone(number), sparing: []) }
            try await vault.keepSession(session(1))
            try await vault.setPresenceThresholds(StoredThresholds(nearDBm: -50, farDBm: -75), device: phone(2).device)
            try await vault.dropSitePhones([1, 2, 3].map { phone($0).device }, owning: [phone(3).device])
            #expect(try await vault.device(phone(1).device)?.state == .revoked)
            #expect(try await vault.device(phone(2).device) == nil)
            #expect(try await vault.device(phone(3).device)?.state == .revoked)
            #expect(try await vault.sitePhones().isEmpty)
            #expect(try await vault.device(publicKey: phone(1).publicKey)?.state == .revoked)
            try await vault.forgetSession([1])
        }
        let vault = try fixture.open()
        #expect(try await vault.devices().isEmpty)
        // A later grant admits the phone again.
        let (record, _) = try await vault.admitSitePhone(phone(1), sparing: [])
        #expect(record.state == .active)
    }

    @Test("A phone that the administrator revoked is barred until the box leaves the site")
    func barred() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            _ = try await vault.admitSitePhone(phone(1), sparing: [])
            try await vault.revoke([phone(1).device])
        }
        let vault = try fixture.open()
        #expect(try await vault.barredSitePhones() == [phone(1).publicKey])
        await #expect(throws: VaultError.alreadyEnrolled) { try await vault.admitSitePhone(phone(1), sparing: []) }
        try await vault.forgetSite()
        #expect(try await vault.barredSitePhones().isEmpty)
    }

    @Test("A grant takes over no device that was enrolled here, and no other user's")
    func others() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        _ = try await vault.enrol(
            publicKey: phone(1).publicKey, user: Array("ana".utf8), label: [], mode: .phoneHeld)
        await #expect(throws: VaultError.alreadyEnrolled) { try await vault.admitSitePhone(phone(1), sparing: []) }
        _ = try await vault.admitSitePhone(phone(2), sparing: [])
        await #expect(throws: VaultError.alreadyEnrolled) {
            try await vault.admitSitePhone(phone(2, user: "bob"), sparing: [])
        }
    }

    @Test("A member has the digits of its site under a higher serial, and its own ones again under a higher one still")
    func digits() async throws {
        let fixture = try BoxFixture()
        let number = Array("004711".utf8)
        let certificate = [UInt8](repeating: 1, count: 15) + number + [UInt8](repeating: 2, count: 120)
        let serial = { (vault: BoxVault) in try await vault.withKeys { (_, _, serial) throws(VaultError) in serial } }
        let vault = try fixture.open()
        let own = await vault.boxID
        let first = try await serial(vault)
        try await vault.joinSite(
            StoredSite(
                document: [UInt8](repeating: 1, count: 326),
                certificate: StoredSiteCertificate(bytes: certificate, issuerKey: [UInt8](repeating: 3, count: 32)),
                servers: [Array("192.0.2.10:4711".utf8)]))
        #expect(await vault.boxID == number)
        #expect(try await vault.ownBoxID() == own)
        let second = try await serial(vault)
        #expect(second > first)
        try await vault.changeSite(SiteChange())
        #expect(try await serial(vault) == second, "the same digits need no other certificate")
        try await vault.forgetSite()
        #expect(await vault.boxID == own)
        #expect(try await serial(vault) > second)
    }

    @Test("Many phones that come and go leave the directory as it should be")
    func directory() {
        var directory = DeviceDirectory()
        let record = { (number: Int) in
            var key = [UInt8](repeating: 7, count: 32)
            (key[0], key[1]) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
            return DeviceRecord(
                id: DeviceID(known: Array(key.prefix(16))), publicKey: key, user: Array("ana".utf8), label: [],
                mode: .phoneHeld, isOfSite: true, state: .active, enrolledAt: 1, lastUsedAt: nil)
        }
        for number in 0..<2_000 {
            directory.update(record(number))
            if number >= 50 { directory.remove(record(number - 50).publicKey) }
        }
        for number in 0..<1_950 { #expect(directory[record(number).publicKey] == nil) }
        for number in 1_950..<2_000 { #expect(directory[record(number).publicKey] == record(number)) }
    }
}
