import Secrets
import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

private func user(_ state: SiteUser.State = .active) throws -> SiteUser {
    let id = try #require(SiteUserID(bytes: [UInt8](repeating: 5, count: 16)))
    let end = state == .revoked ? GrantPlace(generation: Fixture.ordinal(1), number: 1) : nil
    return SiteUser(userID: id, name: "anna", state: state, revokedUpTo: end)
}

private func phone(_ number: Int, groups: [UInt16] = [1], _ state: SitePhone.State = .active) throws -> SitePhone {
    let owner = try user()
    let facts = try GrantFacts(
        phoneKey: Fixture.key(number), user: Array("anna".utf8), userID: owner.userID, mode: .phoneHeld,
        groups: Fixture.groups(groups), generation: Fixture.ordinal(1), number: 4, expiry: Fixture.start + Fixture.day)
    let grant = try ClaimedGrant(
        parsing: Grant.issue(facts, site: Fixture.site, issuer: Fixture.key(.phones)).bytes)
    return SitePhone(
        id: Int64(number), key: Fixture.key(number), owner: owner, label: "phone \(number)",
        groups: Fixture.groups(groups), state: state, grant: grant,
        times: .init(added: Fixture.start, issued: Fixture.start, renewed: nil))
}

private func box(_ groups: [UInt16] = [1, 2], _ state: SiteBox.State = .joined) -> SiteBox {
    SiteBox(
        id: 1, name: "ward", number: [UInt8]("000001".utf8), groups: Fixture.groups(groups), state: state,
        key: Fixture.key(1))
}

private func allowing(_ change: (inout SelfEnrolmentPolicy) -> Void = { _ in }) -> SelfEnrolmentPolicy {
    var policy = SelfEnrolmentPolicy()
    policy.isAllowed = true
    change(&policy)
    return policy
}

@Suite("Whether somebody at a box may enrol a phone of their own")
struct SelfEnrolmentPolicyTests {
    private func judge(
        _ policy: SelfEnrolmentPolicy = allowing(), _ name: String = "anna", user known: SiteUser?? = nil,
        phones: [SitePhone] = [], ofBox: Int = 0, ofUser: Int = 0, notices: Int = 0,
        replacing: SelfEnrolmentPolicy.Replacing = .none, at where_: SiteBox = box()
    ) throws -> SelfEnrolmentPolicy.Verdict {
        let owner = try known ?? user()
        let facts = SelfEnrolmentPolicy.Facts(
            user: owner, phones: phones, ofBox: ofBox, ofUser: ofUser, notices: notices)
        return policy.judge(name, facts, replacing, at: where_, of: Fixture.site)
    }

    private func refusal(_ verdict: SelfEnrolmentPolicy.Verdict) -> SelfEnrolmentRefusal? {
        if case .refused(let refusal, _) = verdict { refusal } else { nil }
    }

    /// Returns the beginning of the phone's id, as shown to a user who has reached the limit of phones.
    private func shownID(of phone: SitePhone) throws -> [UInt8] {
        guard case .refused(.phoneLimit, let detail) = try judge(allowing { $0.phones = 1 }, phones: [phone]) else {
            throw SiteLinkError.protocolViolation
        }
        return [UInt8](detail.utf8.prefix(8))
    }

    @Test("Nobody may by default; where it is allowed, a known user gets the groups of that box")
    func off() throws {
        #expect(refusal(try judge(SelfEnrolmentPolicy())) == .notAllowed)
        #expect(try judge() == .allowed(Fixture.groups([1, 2]), replaces: nil))
    }

    @Test("Where other phones could not be told any more, nobody gets one")
    func notices() throws {
        let phones = [try phone(8)]
        #expect(refusal(try judge(phones: phones, notices: SelfEnrolmentPolicy.noticeLimit - 1)) == nil)
        #expect(refusal(try judge(phones: phones, notices: SelfEnrolmentPolicy.noticeLimit)) == .busy)
    }

    @Test("Root gets no phone, nor a name that is none, nor anybody at a box that is suspended")
    func names() throws {
        #expect(refusal(try judge(allowing { $0.allowsNewUsers = true }, "root", user: .some(nil))) == .notAllowed)
        #expect(refusal(try judge(allowing { $0.allowsNewUsers = true }, "a\nb", user: .some(nil))) == .notAllowed)
        #expect(refusal(try judge(at: box([1], .suspended))) == .notAllowed)
    }

    @Test("Somebody whom the site does not know only where that is allowed, and nobody who was taken back")
    func users() throws {
        #expect(refusal(try judge(user: .some(nil))) == .unknownUser)
        #expect(refusal(try judge(allowing { $0.allowsNewUsers = true }, user: .some(nil))) == nil)
        #expect(refusal(try judge(allowing { $0.allowsNewUsers = true }, user: user(.revoked))) == .revokedUser)
    }

    @Test("A third phone is refused with the names of the two; one that replaces another is not")
    func limit() throws {
        let phones = [try phone(8), try phone(9), try phone(10, .revoked)]
        guard case .refused(.phoneLimit, let detail) = try judge(phones: phones) else {
            Issue.record("a third phone")
            return
        }
        #expect(detail.contains("phone 8") && detail.contains("phone 9") && !detail.contains("phone 10"))
        let named = SelfEnrolmentPolicy.Replacing.named(try shownID(of: phones[1]))
        #expect(try judge(phones: phones, replacing: named) == .allowed(Fixture.groups([1]), replaces: Fixture.key(9)))
        #expect(refusal(try judge(phones: phones, replacing: .named([UInt8]("zzzzzzzz".utf8)))) == .noSuchPhone)
        // The chosen phone was revoked in the meantime, so the user may have another phone and nothing is replaced.
        #expect(
            try judge(phones: [phones[0]], replacing: .chosen(key: Fixture.key(9)))
                == .allowed(Fixture.groups([1]), replaces: nil))
        #expect(refusal(try judge(phones: phones, replacing: .chosen(key: Fixture.key(77)))) == .phoneLimit)
    }

    @Test("A new phone gets no group that the user's phones do not have, and a box replaces none that is not its own")
    func groups() throws {
        #expect(try judge(phones: [phone(8, groups: [2, 3])]) == .allowed(Fixture.groups([2]), replaces: nil))
        #expect(refusal(try judge(phones: [phone(8, groups: [7])])) == .otherGroups)
        let far = try phone(8, groups: [7])
        #expect(refusal(try judge(phones: [far], replacing: .named(try shownID(of: far)))) == .noSuchPhone)
    }

    @Test("A box and a user have so many codes a day and no more")
    func days() throws {
        #expect(refusal(try judge(ofBox: 19, ofUser: 2)) == nil)
        #expect(refusal(try judge(ofBox: 20)) == .tooMany)
        #expect(refusal(try judge(ofUser: 3)) == .tooMany)
    }
}

@Suite("A server and people who enrol phones of their own at a box")
struct SelfDeskTests {
    private let codeID = [UInt8](repeating: 3, count: 8)
    private let text = HeldSecret(SecretBytes(copying: [1, 2, 3]))
    private var desk = SelfDesk()
    private let link = LinkID(number: 1)

    private func wish(_ step: SelfEnrolmentWish.Step, _ number: UInt32 = 1) throws -> SelfEnrolmentWish {
        try #require(SelfEnrolmentWish(number: number, step: step))
    }

    private mutating func hears(
        _ step: SelfEnrolmentWish.Step, _ number: UInt32 = 1, on id: LinkID? = nil,
        _ policy: SelfEnrolmentPolicy = allowing(), isReady: Bool = true
    ) throws -> [SiteEffect] {
        desk.heard(try wish(step, number), from: id ?? link, at: box(), policy, isReady: isReady)
    }

    private mutating func begins(_ number: UInt32 = 1, on id: LinkID? = nil) throws -> [SiteEffect] {
        try hears(.begin(user: [UInt8]("anna".utf8), replacing: []), number, on: id)
    }

    private func task(_ order: SelfEnrolmentTask.Order, _ number: UInt32 = 1) -> SelfEnrolmentTask {
        SelfEnrolmentTask(number: number, box: box(), order: order)
    }

    private func row(_ state: EnrolmentRow.State, digits: String? = nil) -> EnrolmentRow {
        EnrolmentRow(
            state: state, user: "anna", groups: Fixture.groups(), label: nil, expiry: Fixture.start,
            phoneKey: digits.map { _ in Fixture.key(9) }, phoneName: "new", digits: digits)
    }

    private mutating func result(_ result: SelfEnrolmentResult, _ number: UInt32 = 1) -> [SiteEffect] {
        desk.hear(task(.look(codeID: codeID), number), result, for: link)
    }

    private func said(_ effects: [SiteEffect]) -> [SelfEnrolmentNews.Stage] {
        effects.said(to: link).compactMap { if case .selfEnrolment(let news) = $0 { news.stage } else { nil } }
    }

    private func orders(_ effects: [SiteEffect]) -> [SelfEnrolmentTask.Order] {
        effects.compactMap { if case .enrolSelf(_, let task) = $0 { task.order } else { nil } }
    }

    private mutating func shows() throws {
        _ = try begins()
        _ = result(.began(codeID: codeID, text))
        _ = result(.looked(row(.shown, digits: "123456"), isPending: true))
    }

    @Test("Code, digits and the answer take their turns, and the row is looked at meanwhile")
    mutating func walk() throws {
        #expect(orders(try begins()) == [.begin(user: "anna", replacing: [])])
        var effects = result(.began(codeID: codeID, text))
        #expect(said(effects) == [.code(EnrolmentSecret(text), seconds: 600)])
        #expect(orders(effects) == [.look(codeID: codeID)])
        #expect(orders(result(.unknown)) == [.look(codeID: codeID)])
        #expect(orders(result(.looked(row(.claimed), isPending: true))) == [.look(codeID: codeID)])
        effects = result(.looked(row(.shown, digits: "123456"), isPending: true))
        #expect(said(effects) == [.digits([UInt8]("123456".utf8), phone: [UInt8]("new".utf8))])
        effects = result(.looked(row(.shown, digits: "123456"), isPending: true))
        #expect(said(effects).isEmpty, "once")
        effects = try hears(.answer(digits: [UInt8]("123456".utf8), accept: true))
        #expect(orders(effects) == [.confirm(codeID: codeID, digits: "123456")])
        #expect(result(.looked(row(.shown, digits: "123456"), isPending: true)).isEmpty)
        let device = [UInt8](repeating: 4, count: 16)
        #expect(
            said(result(.enrolled(device: device, hasReplaced: true))) == [.enrolled(device: device, hasReplaced: true)]
        )
        #expect(try !orders(begins(2)).isEmpty, "there is room for another one")
    }

    @Test("Other digits, and a no, end the code; an answer before there are digits is not heard")
    mutating func declined() throws {
        _ = try begins()
        _ = result(.began(codeID: codeID, text))
        #expect(try hears(.answer(digits: [UInt8]("123456".utf8), accept: true)).isEmpty)
        for (digits, accept) in [("123456", false), ("123457", true)] {
            desk = SelfDesk()
            try shows()
            let effects = try hears(.answer(digits: [UInt8](digits.utf8), accept: accept))
            #expect(orders(effects) == [.end(codeID: codeID, .declined)])
            #expect(said(effects) == [.refused(.declined, detail: [])])
            #expect(try hears(.answer(digits: [UInt8]("123456".utf8), accept: true)).isEmpty)
        }
    }

    @Test("When the command or the link goes, the code ends, also one that is still being made")
    mutating func left() throws {
        try shows()
        #expect(orders(try hears(.end)) == [.end(codeID: codeID, .cancelled)])
        try shows()
        #expect(orders(desk.left(link)) == [.end(codeID: codeID, .cancelled)])
        _ = try begins()
        #expect(desk.left(link).isEmpty)
        #expect(orders(result(.began(codeID: codeID, text))) == [.end(codeID: codeID, .cancelled)])
        // A code whose digits were accepted is not ended, because the phone is about to learn the outcome.
        try shows()
        _ = try hears(.answer(digits: [UInt8]("123456".utf8), accept: true))
        #expect(desk.left(link).isEmpty)
        #expect(result(.enrolled(device: codeID + codeID, hasReplaced: false)).isEmpty)
    }

    @Test(
        "A code whose time is over, or whose phone went, is over; what the database does not say of a yes, nobody says")
    mutating func over() throws {
        for state in [EnrolmentRow.State.open, .lost, .cancelled, .done] {
            desk = SelfDesk()
            _ = try begins()
            _ = result(.began(codeID: codeID, text))
            #expect(said(result(.looked(row(state), isPending: false))) == [.refused(.over, detail: [])])
        }
        desk = SelfDesk()
        try shows()
        _ = try hears(.answer(digits: [UInt8]("123456".utf8), accept: true))
        #expect(said(result(.unknown)) == [.refused(.notNow, detail: [])])
    }

    @Test("Where it is not allowed, or the server signs nothing, the database is asked nothing")
    mutating func refused() throws {
        let step = SelfEnrolmentWish.Step.begin(user: [UInt8]("anna".utf8), replacing: [])
        var effects = try hears(step, 1, SelfEnrolmentPolicy())
        #expect(said(effects) == [.refused(.notAllowed, detail: [])] && orders(effects).isEmpty)
        effects = try hears(step, 2, isReady: false)
        #expect(said(effects) == [.refused(.notNow, detail: [])] && orders(effects).isEmpty)
    }

    @Test("One at a time on a link, 30 begun on it, and 64 at once in all")
    mutating func bounded() throws {
        _ = try begins(1)
        #expect(said(try begins(2)) == [.refused(.busy, detail: [])])
        var begun = 0
        for number in UInt32(3)..<60 {
            _ = try hears(.end, 1)
            _ = try hears(.end, number - 1)
            if !orders(try begins(number)).isEmpty { begun += 1 }
        }
        #expect(begun == SelfDesk.linkLimit - 2)
        desk = SelfDesk()
        for number in UInt64(10)..<74 { #expect(!orders(try begins(on: LinkID(number: number))).isEmpty) }
        #expect(said(try begins()) == [.refused(.busy, detail: [])])
    }
}
