import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("Sites that a phone is of, in its vault")
struct PhoneSiteTests {
    private func membership(
        _ fill: UInt8 = 1, grant: UInt8 = 7, entry: [UInt8]? = nil
    ) -> GrantedSite {
        GrantedSite(
            site: [UInt8](repeating: fill, count: 16), document: [UInt8](repeating: fill, count: 162),
            grant: [UInt8](repeating: grant, count: 153), entry: entry)
    }

    private func joined(_ vault: PhoneVault, _ fill: UInt8 = 1) async throws -> [UInt8] {
        let id = try await vault.siteKey().id
        try await vault.keep(membership(fill), as: id)
        return id
    }

    @Test("A key waits for its grant, is made once, and is the site's when the grant has come")
    func key() async throws {
        let fixture = try PhoneFixture()
        let key: SiteKey
        do {
            let vault = try fixture.open()
            #expect(try await vault.waitingSiteKey() == nil)
            key = try await vault.siteKey()
            #expect(try await vault.siteKey() == key)
            #expect(try await vault.sites().isEmpty)
        }
        let vault = try fixture.open()
        let privateKey = try await vault.deviceKey(key.id)
        #expect(try X25519KeyPair(privateKey: privateKey.bytes.copy()).publicKey == key.publicKey)
        try await vault.keep(membership(), as: key.id)
        #expect(try await vault.waitingSiteKey() == nil)
        let site = try #require(try await vault.sites().first)
        #expect(site.id == key.id && site.phoneKey == key.publicKey && site.grant == membership().grant)
        #expect(site.document == membership().document && site.entry == nil && !site.hasCredential)
        #expect(try await vault.siteKey() != key, "another site gets another key")
    }

    @Test("Two rows are never of one site")
    func oneRow() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        _ = try await joined(vault)
        let other = try await vault.siteKey().id
        #expect(await failure { try await vault.keep(membership(), as: other) } != nil)
        #expect(await failure { try await vault.keep(membership(2), as: [1]) } == .notFound(what: "site"))
    }

    @Test("The key and the password of a site are in no file in the clear; forgotten, they are nowhere")
    func sealed() async throws {
        let fixture = try PhoneFixture()
        let id: [UInt8]
        let key: [UInt8]
        do {
            let vault = try fixture.open()
            id = try await joined(vault)
            key = try await vault.deviceKey(id).plain
            #expect(try await vault.setCredential(fixture.credential, for: id, pin: nil) == nil)
            #expect(try await vault.sites().first?.hasCredential == true)
            #expect(
                try await vault.credential(for: id, pin: nil).words
                    == "opened \(String(decoding: fixture.credential.plain, as: UTF8.self))")
        }
        #expect(!fixture.holds(key))
        #expect(!fixture.holds(fixture.credential.plain))
        let vault = try fixture.open()
        let grant = membership().grant
        #expect(fixture.holds(grant))
        try await vault.noteSiteBox([UInt8](repeating: 9, count: 32), of: id, hasGrant: true)
        try await vault.forgetSite(id)
        #expect(try await vault.sites().isEmpty)
        #expect(await failure { _ = try await vault.deviceKey(id) } == .notFound(what: "box"))
        #expect(try await vault.credential(for: id, pin: nil).words == "no credential")
        #expect(!fixture.holds(grant))
        #expect(await failure { try await vault.forgetSite(id) } == .notFound(what: "site"))
    }

    @Test("The password of a site is behind the phone's PIN as a box's is, and too many wrong PINs destroy it")
    func pin() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await joined(vault)
        #expect(try await vault.setCredential(fixture.credential, for: id, pin: nil) == nil)
        #expect(try await vault.changePIN(old: nil, new: secret("2468")) == nil)
        #expect(try await vault.credential(for: id, pin: nil).words == "PIN needed")
        #expect(try await vault.credential(for: id, pin: secret("2468")).words.hasPrefix("opened"))
        for _ in 0..<10 { _ = try await vault.credential(for: id, pin: secret("0000")) }
        #expect(try await vault.sites().first?.hasCredential == false)
    }

    @Test("A grant takes the place of the one that it renews, and of no other; then no box has it")
    func renewal() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await joined(vault)
        let box = [UInt8](repeating: 9, count: 32)
        try await vault.noteSiteBox(box, of: id, hasGrant: true)
        let (old, new) = (membership().grant, [UInt8](repeating: 8, count: 160))
        try await vault.keepSiteGrant(new, of: id, inPlaceOf: [UInt8](repeating: 3, count: 153))
        #expect(try await vault.sites().first?.grant == old)
        #expect(try await vault.sites().first?.holders == [box])
        try await vault.keepSiteGrant(new, of: id, inPlaceOf: old)
        #expect(try await vault.sites().first?.grant == new)
        #expect(try await vault.sites().first?.holders == [])
        try await vault.noteSiteBox(box, of: id, hasGrant: true)
        try await vault.keep(membership(grant: 8), as: id)
        #expect(try await vault.sites().first?.holders == [])
    }

    @Test("The last 256 boxes that have taken the grant are remembered, each once")
    func holders() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await joined(vault)
        func box(_ number: Int) -> [UInt8] {
            [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)
        }
        for number in 0..<260 { try await vault.noteSiteBox(box(number), of: id, hasGrant: true) }
        try await vault.noteSiteBox(box(10), of: id, hasGrant: true)
        try await vault.noteSiteBox(box(20), of: id, hasGrant: false)
        let holders = try #require(try await vault.sites().first?.holders)
        #expect(holders.count == 255)
        #expect(!holders.contains(box(3)) && holders.contains(box(4)) && !holders.contains(box(20)))
        #expect(holders.last == box(10))
        try await vault.noteSiteBox(box(1), of: [UInt8](repeating: 0, count: 16), hasGrant: true)
    }

    @Test("An entry that stops a site stays with everything else, until the site gives it back")
    func stopped() async throws {
        let fixture = try PhoneFixture()
        let entry = [UInt8](repeating: 5, count: 122)
        do {
            let vault = try fixture.open()
            try await vault.stopSite(try await joined(vault), entry: entry)
        }
        let vault = try fixture.open()
        let site = try #require(try await vault.sites().first)
        #expect(site.entry == entry)
        #expect(try await vault.deviceKey(site.id).plain.count == 32)
        try await vault.keep(membership(), as: site.id)
        #expect(try await vault.sites().first?.entry == nil)
        #expect(await failure { try await vault.stopSite([1], entry: entry) } == .notFound(what: "site"))
    }

    @Test("A phone is of a bounded number of sites")
    func limit() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        for fill in 0..<PhoneVault.sitesLimit { _ = try await joined(vault, UInt8(fill + 1)) }
        #expect(await failure { _ = try await vault.siteKey() } != nil)
    }
}

extension PhoneFixture {
    /// Returns whether any file of the vault has these bytes.
    fileprivate func holds(_ bytes: [UInt8]) -> Bool { scratch.files().values.contains { $0.holds(bytes) } }
}
