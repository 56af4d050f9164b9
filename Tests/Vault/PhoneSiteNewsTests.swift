import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("What boxes have told of a phone's site, as it is kept")
struct PhoneSiteNewsTests {
    /// Layouts of docs/reference/site-protocol.md, with zeros in the fields that the vault does not read.
    private func document(_ version: UInt8, generation: UInt8 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 326)
        bytes[24] = version
        bytes[32] = generation
        return bytes
    }

    private func head(_ number: UInt8, time: UInt8, generation: UInt8 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 137)
        bytes[16] = generation
        bytes[24] = number
        bytes[72] = time
        return bytes
    }

    private func entry(_ number: Int, expiry: UInt8 = 200, generation: UInt8 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 122)
        (bytes[2], bytes[3]) = (UInt8(number / 256), UInt8(number % 256))
        bytes[41] = expiry
        bytes[49] = generation
        return bytes
    }

    private func joined(_ fixture: PhoneFixture) async throws -> (PhoneVault, [UInt8]) {
        let vault = try fixture.open()
        let id = try await vault.siteKey().id
        let site = GrantedSite(
            site: [UInt8](repeating: 1, count: 16), document: document(1), grant: [UInt8](repeating: 3, count: 153),
            entry: nil)
        try await vault.keep(site, as: id)
        return (vault, id)
    }

    private func kept(_ vault: PhoneVault) async throws -> KnownSite { try #require(try await vault.sites().first) }

    @Test("A document takes the place of the one that it follows, and of no other; with it nothing else is written")
    func document() async throws {
        let fixture = try PhoneFixture()
        let (vault, id) = try await joined(fixture)
        let wrong = SiteNews(
            id: id, inPlaceOf: document(5), document: document(6), head: head(1, time: 1), entries: [entry(1)])
        await #expect(throws: VaultError.self) { try await vault.keep(wrong) }
        let before = try await kept(vault)
        #expect(before.document == document(1) && before.revokedBoxes.isEmpty)
        let news = SiteNews(
            id: id, inPlaceOf: document(1), document: document(2), head: head(1, time: 1), entries: [entry(1)])
        try await vault.keep(news)
        // Another command of this phone may have stored the document first.
        try await vault.keep(news)
        let site = try await kept(vault)
        #expect(site.document == document(2) && site.head == head(1, time: 1) && site.revokedBoxes == [entry(1)])
    }

    @Test("Entries are a union, the newer head stays, and what has expired at its time is forgotten")
    func union() async throws {
        let fixture = try PhoneFixture()
        let (vault, id) = try await joined(fixture)
        func tell(_ head: [UInt8]?, _ entries: [[UInt8]]) async throws {
            try await vault.keep(
                SiteNews(id: id, inPlaceOf: document(1), document: document(1), head: head, entries: entries))
        }
        try await tell(head(5, time: 50), [entry(1), entry(2, expiry: 90)])
        try await tell(head(4, time: 60), [entry(3)])
        try await tell(head(6, time: 40), [entry(1)])
        #expect(try await kept(vault).head == head(5, time: 50))
        #expect(try await kept(vault).revokedBoxes == [entry(1), entry(2, expiry: 90), entry(3)])
        try await tell(head(6, time: 90), [])
        #expect(try await kept(vault).revokedBoxes == [entry(1), entry(3)])
    }

    @Test("A new generation forgets head and entries of the one before, also where an administrator brought it")
    func generation() async throws {
        for isByHand in [false, true] {
            let fixture = try PhoneFixture()
            let (vault, id) = try await joined(fixture)
            try await vault.keep(
                SiteNews(
                    id: id, inPlaceOf: document(1), document: document(1), head: head(5, time: 50), entries: [entry(1)])
            )
            let newer = document(2, generation: 2)
            if isByHand {
                try await vault.keep(
                    GrantedSite(
                        site: [UInt8](repeating: 1, count: 16), document: newer,
                        grant: [UInt8](repeating: 3, count: 153),
                        entry: nil), as: id)
            } else {
                try await vault.keep(SiteNews(id: id, inPlaceOf: document(1), document: newer))
            }
            let after = try await kept(vault)
            #expect(after.head == nil && after.revokedBoxes.isEmpty)
        }
    }

    @Test("At most 1,024 revoked boxes are kept, and none of them once the site is forgotten")
    func bounded() async throws {
        let fixture = try PhoneFixture()
        let (vault, id) = try await joined(fixture)
        try await vault.keep(
            SiteNews(id: id, inPlaceOf: document(1), document: document(1), entries: (0..<1_030).map { entry($0) }))
        #expect(try await kept(vault).revokedBoxes.count == 1_024)
        try await vault.forgetSite(id)
        #expect(try await vault.sites().isEmpty)
    }
}
