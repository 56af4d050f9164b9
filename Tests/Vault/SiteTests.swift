import Testing
import VaultPort

@testable import Vault

@Suite("The site that a box belongs to")
struct SiteTests {
    private static let entry =
        [UInt8]("an entry of the site, whose bytes are looked for".utf8) + [UInt8](repeating: 7, count: 74)

    private var site: StoredSite {
        StoredSite(
            document: [UInt8](repeating: 1, count: 326),
            certificate: StoredSiteCertificate(
                bytes: [UInt8](repeating: 2, count: 141), issuerKey: [UInt8](repeating: 3, count: 32)),
            servers: [Array("192.0.2.10:4711".utf8), Array("[2001:db8::10]:4711".utf8)])
    }

    @Test("What a site is and what it says come back after a restart")
    func kept() async throws {
        let fixture = try BoxFixture()
        let clock = StoredBootClock(boot: [UInt8](repeating: 4, count: 16), seconds: 4_600)
        var expected = site
        do {
            let vault = try fixture.open()
            #expect(try await vault.site() == nil)
            try await vault.joinSite(site)
            var change = SiteChange()
            change.added = [Self.entry, [UInt8](repeating: 6, count: 122)]
            change.head = [UInt8](repeating: 5, count: 137)
            change.time = StoredSiteTime(seconds: 1_800_000_000, clock: clock)
            change.hours = StoredSiteHours(spent: 1, until: clock)
            try await vault.changeSite(change)
            (expected.head, expected.time, expected.hours) = (change.head, change.time, change.hours)
            expected.entries = [[UInt8](repeating: 6, count: 122), Self.entry]
        }
        let vault = try fixture.open()
        #expect(try await vault.site() == expected)
        var generation = SiteChange()
        generation.document = [UInt8](repeating: 8, count: 326)
        generation.beginsGeneration = true
        try await vault.changeSite(generation)
        var anew = site
        anew.document = [UInt8](repeating: 8, count: 326)
        #expect(try await vault.site() == anew, "a generation begins with nothing else")
    }

    @Test("A change that cannot be written whole is not written at all")
    func whole() async throws {
        let vault = try BoxFixture().open()
        try await vault.joinSite(site)
        var change = SiteChange()
        change.document = [UInt8](repeating: 9, count: 326)
        change.added = [Self.entry, [1]]
        await #expect(throws: VaultError.self) { try await vault.changeSite(change) }
        #expect(try await vault.site() == site)
    }

    @Test("A box belongs to one site, and nothing of a site that it left is on the disk")
    func forgotten() async throws {
        let fixture = try BoxFixture()
        do {
            let vault = try fixture.open()
            try await vault.joinSite(site)
            await #expect(throws: VaultError.self) { try await vault.joinSite(site) }
            var change = SiteChange()
            change.added = [Self.entry]
            try await vault.changeSite(change)
            try await vault.forgetSite()
            #expect(try await vault.site() == nil)
            await #expect(throws: VaultError.notFound(what: "site")) { try await vault.changeSite(change) }
            try await vault.forgetSite()
        }
        let file = Scratch.read(fixture.scratch.database)
        let needle = Self.entry.prefix(48)
        #expect(!file.indices.contains { file[$0...].starts(with: needle) })
        #expect(try await fixture.open().site() == nil)
    }
}
