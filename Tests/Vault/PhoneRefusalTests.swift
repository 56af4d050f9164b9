import Testing
import VaultPort

@testable import Vault

@Suite("Passwords that were refused, in a phone's vault")
struct PhoneRefusalTests {
    @Test("The time is on disk before the next tap, and of one row only")
    func durable() async throws {
        let fixture = try PhoneFixture()
        let (first, second): ([UInt8], [UInt8])
        do {
            let vault = try fixture.open()
            (first, second) = (try await fixture.enrol(vault, 1), try await fixture.enrol(vault, 2))
            #expect(try await vault.passwordHistory(of: first).refusedAt == nil)
            try await vault.notePassword(of: first, .refused)
        }
        fixture.clock.advance(seconds: 60)
        let vault = try fixture.open()
        #expect(try await vault.passwordHistory(of: first).refusedAt == 1_790_000_000)
        #expect(try await vault.passwordHistory(of: second).refusedAt == nil)
        try await vault.notePassword(of: first, .refused)
        #expect(try await vault.passwordHistory(of: first).refusedAt == 1_790_000_060, "the last one counts")
        try await vault.notePassword(of: first, .accepted)
        #expect(try await vault.passwordHistory(of: first).refusedAt == nil)
    }

    @Test("A send whose outcome nobody heard is counted on disk, and a settled one is not")
    func unknown() async throws {
        let fixture = try PhoneFixture()
        let id: [UInt8]
        do {
            let vault = try fixture.open()
            id = try await fixture.enrol(vault)
            for _ in 0..<2 { try await vault.notePassword(of: id, .sent) }
        }
        // The vault is opened again, like after a kill.
        let vault = try fixture.open()
        #expect(try await vault.passwordHistory(of: id).unknown == 2)
        try await vault.notePassword(of: id, .sent)
        try await vault.notePassword(of: id, .notJudged)
        #expect(try await vault.passwordHistory(of: id).unknown == 2, "only the last send is settled")
        try await vault.notePassword(of: id, .sentAgain)
        #expect(try await vault.passwordHistory(of: id).unknown == 1, "it counts again from the person's yes")
        for note in [PasswordNote.accepted, .refused, .notJudged] {
            try await vault.notePassword(of: id, note)
            #expect(try await vault.passwordHistory(of: id).unknown == 0)
        }
    }

    @Test("Another password clears it, and a PIN that was wrong does not")
    func replaced() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
        _ = try await vault.changePIN(old: nil, new: secret("1234"))
        try await vault.notePassword(of: id, .refused)
        try await vault.notePassword(of: id, .sent)
        #expect(
            try await vault.setCredential(secret("another"), for: id, pin: secret("0000"))?.words == "wrong, 9 left")
        #expect(try await vault.passwordHistory(of: id).refusedAt != nil)
        #expect(try await vault.setCredential(secret("another"), for: id, pin: secret("1234")) == nil)
        #expect(try await vault.passwordHistory(of: id) == PasswordHistory())
    }

    @Test("The password of a site is one for all of its boxes, and so is its mark")
    func site() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await vault.siteKey().id
        try await vault.keep(
            GrantedSite(
                site: [UInt8](repeating: 1, count: 16), document: [UInt8](repeating: 1, count: 162),
                grant: [UInt8](repeating: 7, count: 153), entry: nil), as: id)
        _ = try await vault.setCredential(fixture.credential, for: id, pin: nil)
        try await vault.notePassword(of: id, .refused)
        #expect(try await vault.passwordHistory(of: id).refusedAt == 1_790_000_000)
        _ = try await vault.setCredential(secret("another"), for: id, pin: nil)
        #expect(try await vault.passwordHistory(of: id) == PasswordHistory())
    }

    @Test("Of a box that is forgotten nothing is kept, and it is no fault to say so")
    func forgotten() async throws {
        let fixture = try PhoneFixture()
        let vault = try fixture.open()
        let id = try await fixture.enrol(vault)
        try await vault.notePassword(of: id, .refused)
        try await vault.forget(id)
        #expect(try await vault.passwordHistory(of: id).refusedAt == nil)
        try await vault.notePassword(of: id, .refused)
        #expect(try await vault.passwordHistory(of: id).refusedAt == nil)
    }
}
