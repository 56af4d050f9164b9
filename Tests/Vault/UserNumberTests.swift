import Names
import Testing
import VaultPort

@testable import Vault

@Suite("The number of a user's account, in the vault")
struct UserNumberTests {
    private let anna = Array("anna".utf8)

    private func entries(_ vault: isolated BoxVault) throws -> [String] {
        try vault.auditEntries(after: 0, limit: 100).filter { $0.event == Array("user-number".utf8) }
            .map { String(decoding: $0.detail, as: UTF8.self) }
    }

    private func numbers(_ vault: BoxVault, _ id: DeviceID) async throws -> [Int64?] {
        let numbers = try await vault.numbers(of: id)
        return [numbers.uid, numbers.other]
    }

    @Test("A device without a number gets the first one that is seen, with one entry, which does not name it")
    func recorded() async throws {
        let fixture = try BoxFixture()
        let id: DeviceID
        do {
            let vault = try fixture.open()
            id = try await fixture.enrol(vault, 1, user: "anna")
            #expect(try await numbers(vault, id) == [nil, nil])
            for _ in 1...2 { #expect(try await vault.compare(anna, as: anna, uid: 5_000).accepted == [id]) }
            #expect(try await entries(vault) == ["recorded"])
        }
        let vault = try fixture.open()
        #expect(try await numbers(vault, id) == [5_000, nil])
    }

    @Test("A device whose user has another number is refused until its number is back, with one entry a start")
    func refused() async throws {
        let fixture = try BoxFixture()
        let refusal = "refused: the account has another number now"
        let id: DeviceID
        do {
            let vault = try fixture.open()
            id = try await vault.enrol(
                publicKey: [UInt8](repeating: 1, count: 32), user: anna, label: [], mode: .boxHeld, uid: 5_000
            ).id
            for uid in [5_001, 5_001, 5_000, 5_002] as [UInt32] {
                let result = try await vault.compare(anna, as: anna, uid: uid)
                #expect(result.others == (uid == 5_000 ? [] : [id]))
                #expect(result.accepted == (uid == 5_000 ? [id] : []))
                #expect(try await numbers(vault, id) == [5_000, uid == 5_000 ? nil : Int64(uid)])
            }
            #expect(try await entries(vault) == [refusal])
        }
        let vault = try fixture.open()
        #expect(try await numbers(vault, id) == [5_000, 5_002])
        #expect(try await vault.refused(of: anna) == [id])
        #expect(try await vault.refusedUser() == anna)
        #expect(try await !vault.compare(anna, as: anna, uid: 5_002).refuses)
        #expect(try await entries(vault) == [refusal], "nothing has changed since the start")
    }

    @Test("The administrator confirms a new number, once, and revoked devices stay as they are")
    func confirmed() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        var ids: [DeviceID] = []
        for key in [1, 2] as [UInt8] {
            ids.append(
                try await vault.enrol(
                    publicKey: [UInt8](repeating: key, count: 32), user: anna, label: [], mode: .boxHeld, uid: 5_000
                ).id)
        }
        try await vault.revoke([ids[1]])
        _ = try await vault.compare(anna, as: anna, uid: 5_001)
        for count in [1, 0] { #expect(try await vault.confirm(anna, uid: 5_001, by: .agent) == count) }
        #expect(try await numbers(vault, ids[0]) == [5_001, nil])
        #expect(try await numbers(vault, ids[1]) == [5_000, nil])
        #expect(try await vault.compare(anna, as: anna, uid: 5_001).others.isEmpty)
        #expect(try await entries(vault).last == "confirmed: the same person has a new number")
    }

    @Test("A device of another account is refused and keeps its spelling, also if its name folds to that account")
    func folded() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let old = Array("Anna".utf8)
        let key = [UInt8](repeating: 1, count: 32)
        _ = try await vault.enrol(publicKey: key, user: old, label: [], mode: .boxHeld, uid: 5_000)
        let result = try await vault.compare(old, as: anna, uid: 5_001)
        #expect(result.renamed == 0 && result.refuses)
        #expect(try await vault.device(publicKey: key)?.user == old)
        // Asked by another spelling, the name's own devices are compared, too.
        let other = try await vault.enrol(
            publicKey: [UInt8](repeating: 2, count: 32), user: anna, label: [], mode: .boxHeld, uid: 5_002)
        #expect(try await vault.compare(old, as: anna, uid: 5_001).others.contains(other.id))
    }

    @Test("A site's phone gets the number of its admission, and a new one only by a grant after a revocation")
    func ofSite() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        func phone(_ uid: UInt32) -> StoredSitePhone {
            StoredSitePhone(
                device: DeviceID(known: [UInt8](repeating: 1, count: 16)), publicKey: [UInt8](repeating: 1, count: 32),
                user: anna, uid: uid, kept: [UInt8](repeating: 1, count: 190))
        }
        #expect(try await vault.admitSitePhone(phone(5_000), sparing: []).gone.isEmpty)
        _ = try await vault.compare(anna, as: anna, uid: 5_001)
        let renewed = try await vault.admitSitePhone(phone(5_001), sparing: []).device
        #expect(
            try await numbers(vault, renewed.id) == [5_000, 5_001], "another grant of the same phone decides nothing")
        try await vault.dropSitePhones([renewed.id], owning: [renewed.id])
        let again = try await vault.admitSitePhone(phone(5_001), sparing: []).device
        #expect(try await numbers(vault, again.id) == [5_001, nil])
    }
}
