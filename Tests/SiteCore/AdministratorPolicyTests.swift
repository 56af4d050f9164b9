import SiteTrust
import Testing

@testable import SiteCore

private typealias Policy = AdministratorPolicy

private func someone(
    _ role: Administrator.Role, id: Int64 = 1, groups: [UInt16] = [7, 9], _ state: Administrator.State = .active
) -> Administrator {
    Administrator(
        id: id,
        terms: AdministratorTerms(
            name: "\(role)\(id)", role: role, groups: role == .ward ? SiteGroups(groups) : nil, account: nil),
        state: state)
}

private func things(_ groups: [UInt16]...) throws -> AdministrativeSubject {
    .things(try groups.map { try #require(SiteGroups($0)) })
}

private func isAllowed(_ verdict: Policy.Verdict) -> Bool { verdict == .allowed }
private func isRefused(_ verdict: Policy.Verdict) -> Bool { if case .refused = verdict { true } else { false } }

/// Returns the roles that may perform an act at all. Each new act needs a line here.
private func roles(_ act: AdministrativeAct) -> Set<Administrator.Role> {
    switch act {
    case .seeSelf, .seeStatus, .seeBoxes, .seePhones, .seeProposals, .seeAudit, .decideProposals, .changePasskeys:
        Set(Administrator.Role.allCases)
    case .seeAdministrators, .checkAudit: [.viewer, .helpdesk, .administrator, .rootKeeper]
    case .addBox, .unsuspendBox, .makeBundle, .addPhone, .grantPhone: [.ward, .administrator, .rootKeeper]
    case .removeBox, .revokePhone, .revokeUser: [.ward, .helpdesk, .administrator, .rootKeeper]
    case .acceptClock, .acceptDirectory, .changeAdministrators: [.administrator, .rootKeeper]
    case .changeRootKeepers, .keepKeys: [.rootKeeper]
    }
}

@Test("Each role may do what its line says and nothing else", arguments: AdministrativeAct.allCases)
func theTable(_ act: AdministrativeAct) throws {
    for role in Administrator.Role.allCases {
        let mayHave = Policy.refusal(of: someone(role), act) == nil
        #expect(mayHave == roles(act).contains(role), "\(role) \(act)")
        // A removed administrator may do nothing.
        #expect(Policy.refusal(of: someone(role, .removed), act) != nil)
        #expect(try isRefused(Policy.judge(someone(role, .removed), act, about: things([7]))))
    }
}

@Test("A ward changes what is in its own groups wholly, and sees what is in one of them")
func theWard() throws {
    let ward = someone(.ward)
    for act in AdministrativeAct.allCases {
        guard case .groups(let own)? = Policy.reach(of: ward, act) else { continue }
        #expect(own.numbers == [7, 9])
        #expect(try isAllowed(Policy.judge(ward, act, about: things([7]))))
        #expect(try isAllowed(Policy.judge(ward, act, about: things([7, 9], [9]))))
        #expect(try isRefused(Policy.judge(ward, act, about: things([7, 8]))))
        #expect(try isRefused(Policy.judge(ward, act, about: things([7], [3]))))
        #expect(isRefused(Policy.judge(ward, act, about: .things([]))))
        #expect(isRefused(Policy.judge(ward, act, about: .site)))
    }
    let reach = try #require(Policy.reach(of: ward, .seePhones))
    #expect(try reach.sees(#require(SiteGroups([3, 9]))) && !reach.sees(#require(SiteGroups([3, 8]))))
    #expect(try reach.changes(#require(SiteGroups([9]))) && !reach.changes(#require(SiteGroups([3, 9]))))
    #expect(Policy.seesProposals(of: 1, ward) && !Policy.seesProposals(of: 2, ward))
}

@Test("The twenty-first revocation of an hour, and the sixty-first of a day, need a second administrator, whoever asks")
func theLimit() throws {
    func judge(_ role: Administrator.Role, _ act: AdministrativeAct, _ hour: Int, _ day: Int) throws -> Policy.Verdict {
        try Policy.judge(
            someone(role), act, about: things([7]), recent: RecentRevocations(inHour: hour, inDay: day))
    }
    for act in AdministrativeAct.allCases where act.isRevocation {
        for role in roles(act) where act != .removeBox || role != .helpdesk {
            #expect(try judge(role, act, 20, 60) == .allowed)
            #expect(try judge(role, act, 21, 21) == .needsSecond)
            #expect(try judge(role, act, 1, 61) == .needsSecond)
        }
    }
    // The limit does not apply to acts that add rights.
    #expect(try judge(.administrator, .addPhone, 99, 99) == .allowed)
}

@Test("The helpdesk removes no box without a second administrator, since a box's key never comes back")
func boxesOfTheHelpdesk() throws {
    let desk = someone(.helpdesk, id: 6)
    #expect(try Policy.judge(desk, .removeBox, about: things([7])) == .needsSecond)
    let anna = someone(.administrator, id: 1)
    #expect(try Policy.refusal(toApprove: .removeBox, about: things([7]), of: desk, by: anna) == nil)
    for role in [Administrator.Role.ward, .administrator, .rootKeeper] {
        #expect(try Policy.judge(someone(role), .removeBox, about: things([7])) == .allowed)
    }
}

@Test("Changes of administrators always need a second one, unless root is the only one there is")
func changesOfAdministrators() {
    for act in [AdministrativeAct.changeAdministrators, .changeRootKeepers] {
        #expect(Policy.judge(someone(.rootKeeper), act, about: .site) == .needsSecond)
        // Without a second administrator, root can approve the proposal.
        #expect(Policy.judge(someone(.rootKeeper), act, about: .site, hasSecond: false) == .needsSecond)
        #expect(Policy.judge(.root, act, about: .site) == .needsSecond)
        #expect(Policy.judge(.root, act, about: .site, hasSecond: false) == .allowed)
    }
    #expect(
        Policy.judge(
            .root, .revokeUser, about: .things([]), recent: RecentRevocations(inHour: 30, inDay: 90), hasSecond: false)
            == .allowed)
    #expect(isRefused(Policy.judge(someone(.administrator), .changeRootKeepers, about: .site)))
}

@Test("Nobody approves their own proposal, and approving gives no right that either of the two lacks")
func approving() throws {
    let anna = someone(.administrator, id: 1)
    let bert = someone(.administrator, id: 2)
    let keeper = someone(.rootKeeper, id: 3)
    func refusal(
        _ act: AdministrativeAct, _ subject: AdministrativeSubject, of proposer: Administrator, by who: Administrator
    ) -> String? { Policy.refusal(toApprove: act, about: subject, of: proposer, by: who) }

    #expect(refusal(.changeAdministrators, .site, of: anna, by: bert) == nil)
    #expect(refusal(.changeAdministrators, .site, of: anna, by: .root) == nil)
    #expect(refusal(.changeAdministrators, .site, of: anna, by: anna)?.contains("your own proposal") == true)
    #expect(refusal(.changeAdministrators, .site, of: .root, by: .root) != nil)
    // The administrator to be changed may have become a root keeper since the proposal.
    #expect(refusal(.changeRootKeepers, .site, of: anna, by: keeper) != nil)
    #expect(refusal(.changeRootKeepers, .site, of: keeper, by: anna) != nil)
    #expect(refusal(.changeRootKeepers, .site, of: keeper, by: .root) == nil)
    let ward = someone(.ward, id: 4)
    #expect(try refusal(.revokePhone, things([7]), of: ward, by: anna) == nil)
    // The phone's groups have changed since the proposal.
    #expect(try refusal(.revokePhone, things([3, 7]), of: ward, by: anna) != nil)
    for role in [Administrator.Role.viewer, .ward, .helpdesk] {
        #expect(try refusal(.revokePhone, things([7]), of: anna, by: someone(role, id: 5)) != nil)
        #expect(!Policy.mayReject(someone(role)))
    }
    #expect(try refusal(.revokePhone, things([7]), of: someone(.helpdesk, id: 6, .removed), by: anna) != nil)
    #expect(try refusal(.revokePhone, things([7]), of: ward, by: someone(.administrator, id: 7, .removed)) != nil)
    #expect(!Policy.mayReject(someone(.administrator, .removed)))
}

@Test("Terms of an administrator that nobody should have are named")
func terms() {
    func fault(
        _ name: String, _ role: Administrator.Role = .viewer, _ groups: [UInt16]? = nil, _ account: String? = nil
    ) -> String? {
        AdministratorTerms(name: name, role: role, groups: groups.flatMap(SiteGroups.init), account: account).fault
    }
    #expect(fault("anna") == nil && fault("Änne Ärztin", .ward, [7], "aenne") == nil)
    for name in ["", "root", "a\u{1B}[2Jb", "a\nb", "-a", "a/b", "a:b", "a\0b", String(repeating: "a", count: 65)] {
        #expect(fault(name) != nil, "\(name.debugDescription)")
    }
    #expect(fault("anna", .ward) != nil && fault("anna", .viewer, [7]) != nil)
    #expect(fault("anna", .viewer, nil, "root") != nil && fault("anna", .viewer, nil, "a b\n") != nil)
}

@Test("Who asks for what is not allowed over and over fills no table")
func refusalBudget() {
    var budget = RefusalBudget()
    var written = 0
    for _ in 0..<1_000 where budget.take("uid 1000", now: .zero) { written += 1 }
    #expect(written == RefusalBudget.burst)
    // Each asker has a separate budget.
    let hasOwn = budget.take("uid 1001", now: .zero)
    #expect(hasOwn)
    let later = RefusalBudget.interval * 3
    for _ in 0..<1_000 where budget.take("uid 1000", now: later) { written += 1 }
    #expect(written == RefusalBudget.burst + 3)
    // Ten thousand names do not raise the limit of all askers together.
    written = 0
    for number in 0..<10_000 where budget.take("page: \(number)", now: later) { written += 1 }
    #expect(written <= RefusalBudget.askers)
}
