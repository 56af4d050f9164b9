import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

private let start = Fixture.start
private let day = Fixture.day
private let phoneKey = Fixture.key(7_000)

private func userID(_ number: UInt8 = 5) throws -> SiteUserID {
    try #require(SiteUserID(bytes: [UInt8](repeating: number, count: 16)))
}

private func place(_ number: UInt64, generation: UInt32 = 1) -> GrantPlace {
    GrantPlace(generation: Fixture.ordinal(generation), number: number)
}

private func owner(
    _ id: UInt8 = 5, _ state: SiteUser.State = .active, revokedUpTo: GrantPlace? = nil
) throws -> SiteUser {
    SiteUser(userID: try userID(id), name: "anna", state: state, revokedUpTo: revokedUpTo)
}

private func grant(
    at number: UInt64 = 4, time: UInt64 = start, by signer: Fixture.Signer = .phones
) throws -> ClaimedGrant {
    let facts = try GrantFacts(
        phoneKey: phoneKey, user: Array("anna".utf8), userID: try userID(), mode: .phoneHeld, groups: Fixture.groups(),
        generation: Fixture.ordinal(1), number: number, expiry: time + 30 * day)
    return try ClaimedGrant(parsing: Grant.issue(facts, site: Fixture.site, issuer: Fixture.key(signer)).bytes)
}

private func phone(
    _ user: SiteUser? = nil, _ state: SitePhone.State = .active, groups: [UInt16] = [1], issued: UInt64 = start,
    grant shown: ClaimedGrant? = nil
) throws -> SitePhone {
    SitePhone(
        id: 1, key: phoneKey, owner: try user ?? owner(), label: "", groups: Fixture.groups(groups), state: state,
        grant: try shown ?? grant(), times: .init(added: start, issued: issued, renewed: nil))
}

private func wish(
    _ claimed: ClaimedGrant? = nil, groups: [UInt16] = [1], at time: UInt64 = start + 5 * day
) throws -> RenewalWish {
    RenewalWish(
        shown: try (claimed ?? grant()).facts, boxID: 1, box: "box-1", boxGroups: Fixture.groups(groups),
        generation: Fixture.ordinal(1), time: time)
}

private func judge(_ phone: SitePhone?, _ wish: RenewalWish, at time: UInt64 = start + 5 * day) -> RenewalVerdict {
    RenewalVerdict.judge(phone, wish, at: time, Fixture.issuing)
}

private func isRefused(_ verdict: RenewalVerdict) -> Bool { if case .refused = verdict { true } else { false } }

@Suite("Whether a phone gets another grant")
struct RenewalVerdictTests {
    @Test("A phone of the site does, at a box with a group of its own")
    func itDoes() throws {
        #expect(judge(try phone(), try wish()) == .issues)
        #expect(judge(try phone(groups: [2, 3]), try wish(groups: [3, 9])) == .issues)
        #expect(isRefused(judge(try phone(groups: [2, 3]), try wish(groups: [1]))))
    }

    @Test("A phone that is unknown, another user's or revoked does not")
    func itDoesNot() throws {
        #expect(isRefused(judge(nil, try wish())))
        #expect(isRefused(judge(try phone(owner(6)), try wish())))
        #expect(isRefused(judge(try phone(nil, .revoked), try wish())))
        #expect(isRefused(judge(try phone(owner(5, .revoked, revokedUpTo: place(9))), try wish())))
    }

    @Test("A grant that was taken back with all of its user's stays so, though the user is active again")
    func theUserIsBack() throws {
        for (end, isGood) in [(place(4), false), (place(3), true), (place(0, generation: 2), false)] {
            #expect(isRefused(judge(try phone(owner(revokedUpTo: end)), try wish())) == !isGood)
        }
    }

    @Test("A grant may have expired, 400 days ago at most")
    func expired() throws {
        let end = start + 430 * day
        #expect(judge(try phone(), try wish(), at: end - 1) == .issues)
        #expect(isRefused(judge(try phone(), try wish(), at: end)))
    }

    @Test("A grant that was issued within a day is said again, unless it is of no use any more")
    func fresh() throws {
        let time = start + 5 * day
        let new = try grant(at: 6, time: time)
        #expect(judge(try phone(issued: time, grant: new), try wish(), at: time + day - 1) == .has(new))
        #expect(judge(try phone(issued: time, grant: new), try wish(), at: time + day) == .issues)
        // A restored backup leaves an older grant in the row, and a change of issuers a grant by another issuer.
        #expect(judge(try phone(issued: time), try wish(new), at: time) == .issues)
        let other = try grant(at: 6, time: time, by: .stranger)
        #expect(judge(try phone(issued: time, grant: other), try wish(), at: time) == .issues)
    }
}

extension [SiteEffect] {
    fileprivate var wishes: [RenewalWish] { compactMap { if case .renew(_, let wish) = $0 { wish } else { nil } } }

    fileprivate var warnings: Int {
        filter { if case .log(let line) = $0 { line.level == .warning } else { false } }.count
    }
}

@Suite("A box wants a grant for a phone")
struct RenewalMachineTests {
    @Test("The database is asked, and its answer said")
    func asked() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        let shown = try grant()
        let asked = server.feed(.said(id, .renew(shown)))
        let wish = try #require(asked.wishes.first)
        #expect(asked.count == 1 && wish.shown == shown.facts && wish.box == "box-1" && wish.time == server.time)
        let new = try grant(at: 5)
        #expect(server.feed(.renewed(id, wish, .issued(new))) == [.say(id, .grant(new))])
        #expect(server.feed(.said(id, .renew(shown))).wishes.count == 1)
        #expect(server.feed(.renewed(id, wish, .refused("that is unknown"))).warnings == 1)
        _ = server.feed(.said(id, .renew(shown)))
        _ = server.feed(.closed(id))
        #expect(server.feed(.renewed(id, wish, .issued(new))) == [])
    }

    @Test("A grant that nobody of the site has signed, or that is taken back, is not asked for; the link stays")
    func notAsked() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        for signer in [Fixture.Signer.stranger, .boxes] {
            #expect(server.feed(.said(id, .renew(try grant(by: signer)))).wishes == [])
        }
        let entry = try Fixture.issuing.revocation(
            of: .phone(key: phoneKey), at: start, generation: Fixture.ordinal(1))
        _ = server.refresh(entries: [(1, entry)])
        let effects = server.feed(.said(id, .renew(try grant())))
        #expect(effects.wishes == [] && !effects.closes(id))
    }

    @Test("What is taken back while the database is asked is not said")
    func overtaken() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        let wish = try #require(server.feed(.said(id, .renew(try grant()))).wishes.first)
        let entry = try Fixture.issuing.revocation(
            of: .user(try userID(), upTo: 5), at: start, generation: Fixture.ordinal(1))
        _ = server.refresh(entries: [(6, entry)])
        #expect(server.feed(.renewed(id, wish, .issued(try grant(at: 5)))).said(to: id) == [])
        #expect(server.feed(.renewed(id, wish, .issued(try grant(at: 6)))).said(to: id).count == 1)
    }

    @Test("Sixty on a link, 64 at once, none while nothing is signed")
    func bounds() throws {
        var server = try TestServer()
        let (first, second) = (try server.link(1).id, try server.link(2).id)
        let shown = try grant()
        var count = 0
        for id in [first, second] {
            for _ in 0..<70 { count += server.feed(.said(id, .renew(shown))).wishes.count }
        }
        #expect(count == 64)
        let wish = try wish(shown)
        for _ in 0..<64 { _ = server.feed(.renewed(first, wish, .refused(""))) }
        #expect(server.feed(.said(first, .renew(shown))).wishes == [])
        let third = try server.link(3).id
        for _ in 0..<60 {
            #expect(server.feed(.said(third, .renew(shown))).wishes.count == 1)
            _ = server.feed(.renewed(third, wish, .refused("")))
        }
        #expect(server.feed(.said(third, .renew(shown))).wishes == [])
        let again = try server.link(1).id
        _ = server.feed(.databaseLost)
        #expect(server.feed(.said(again, .renew(shown))) == [])
    }

    @Test("Refusals are logged when their number has doubled")
    func logged() throws {
        var server = try TestServer()
        let id = try server.link(1).id
        let forged = try grant(by: .stranger)
        var lines = 0
        for _ in 0..<50 { lines += server.feed(.said(id, .renew(forged))).warnings }
        #expect(lines == 6)
    }
}

@Suite("What takes back phones and users")
struct PhoneRevocationTests {
    @Test("An entry outlives every grant that was issued until then")
    func expiry() throws {
        let subject = RevokedSubject.phone(key: phoneKey)
        let entry = try Fixture.issuing.revocation(of: subject, at: start, generation: Fixture.ordinal(1))
        #expect(entry.facts.expiry == start + 30 * day + 3_600)
        let later = try Fixture.issuing.revocation(
            of: subject, at: start, generation: Fixture.ordinal(1), lastExpiry: start + 90 * day)
        #expect(later.facts.expiry == start + 90 * day + 3_600)
    }

    @Test("A user's entry at number N takes back what was issued at N, and not at N + 1, which is the number behind it")
    func numbers() throws {
        let entry = try Fixture.issuing.revocation(
            of: .user(try userID(), upTo: 4), at: start, generation: Fixture.ordinal(1))
        #expect(entry.facts.covers(try grant(at: 4).facts))
        #expect(!entry.facts.covers(try grant(at: 5).facts))
    }

    @Test("Names and labels that a grant or a terminal cannot have are refused")
    func names() {
        for name in ["anna", "Jürgen Müßig", String(repeating: "u", count: 64)] {
            #expect(SitePhone.isUserName(Array(name.utf8)) && SitePhone.isLabel(name))
        }
        for name in ["", "-anna", "a/b", "a:b", "a\nb", "..", String(repeating: "u", count: 65), "a\u{85}b"] {
            #expect(!SitePhone.isUserName(Array(name.utf8)))
        }
        #expect(SitePhone.isLabel(""))
        for label in [String(repeating: "l", count: 65), "a\nb", "a\u{1B}[1m", "a\u{2028}b"] {
            #expect(!SitePhone.isLabel(label))
        }
    }
}
