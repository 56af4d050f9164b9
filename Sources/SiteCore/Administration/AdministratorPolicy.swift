/// Decides who may do what. Pure: a command, the page and a waiting proposal get the same answer.
public enum AdministratorPolicy {
    /// Seconds after which an undecided proposal expires.
    public static let proposalLife: UInt64 = 3_600
    /// The most proposals of one administrator that may wait.
    public static let proposalLimit = 100

    public enum Verdict: Sendable, Equatable {
        case allowed
        case needsSecond
        /// A sentence with the reason.
        case refused(String)
    }

    /// Returns how far an administrator's right to an act reaches, or nil without such a right.
    public static func reach(of who: Administrator, _ act: AdministrativeAct) -> AdministratorReach? {
        guard who.state == .active else { return nil }
        let own = who.terms.groups.map { AdministratorReach.groups($0) }
        switch (act, who.role) {
        case (.seeSelf, _), (.seeStatus, _), (.seeProposals, _), (.decideProposals, _), (.changePasskeys, _):
            return .everywhere
        case (.seeBoxes, let role), (.seePhones, let role): return role == .ward ? own : .everywhere
        // Ward administrators see their own acts. The audit chain and the list of administrators belong to no ward.
        case (.seeAudit, let role): return role == .ward ? own : .everywhere
        case (.seeAdministrators, let role), (.checkAudit, let role): return role == .ward ? nil : .everywhere
        case (.addBox, .ward), (.unsuspendBox, .ward), (.makeBundle, .ward), (.addPhone, .ward), (.grantPhone, .ward):
            return own
        case (.addBox, let role), (.unsuspendBox, let role), (.makeBundle, let role), (.addPhone, let role),
            (.grantPhone, let role):
            return isAdministrator(role) ? .everywhere : nil
        case (.removeBox, .ward), (.revokePhone, .ward), (.revokeUser, .ward): return own
        case (.removeBox, let role), (.revokePhone, let role), (.revokeUser, let role):
            return role == .viewer ? nil : .everywhere
        case (.acceptClock, let role), (.acceptDirectory, let role), (.changeAdministrators, let role):
            return isAdministrator(role) ? .everywhere : nil
        case (.changeRootKeepers, let role), (.keepKeys, let role): return role == .rootKeeper ? .everywhere : nil
        }
    }

    private static func isAdministrator(_ role: Administrator.Role) -> Bool {
        switch role {
        case .administrator, .rootKeeper: true
        case .viewer, .ward, .helpdesk: false
        }
    }

    /// Returns why the role may not do this act at all, or nil if it may. The change's transaction checks the subject.
    public static func refusal(of who: Administrator, _ act: AdministrativeAct) -> String? {
        guard who.state == .active else { return "\(who.name) is no longer an administrator of this site" }
        guard reach(of: who, act) == nil else { return nil }
        let whom = act == .keepKeys || act == .changeRootKeepers ? "a root keeper" : "an administrator"
        return "\(who.role.words) may not \(act.words); ask \(whom)"
    }

    /// - Parameters:
    ///   - recent: The same administrator's revocations, including this one.
    ///   - hasSecond: False if root asks and the site has no administrator who could approve. Root then decides alone.
    public static func judge(
        _ who: Administrator, _ act: AdministrativeAct, about subject: AdministrativeSubject,
        recent: RecentRevocations = .none,
        hasSecond: Bool = true
    ) -> Verdict {
        if let refusal = refusal(of: who, act) { return .refused(refusal) }
        guard let reach = reach(of: who, act), isWithin(reach, subject) else {
            return .refused("this goes beyond your groups; ask an administrator")
        }
        // The key of a removed box never comes back.
        let isForGood = act == .removeBox && who.role == .helpdesk
        let needsSecond = act.alwaysNeedsSecond || isForGood || act.isRevocation && recent.needSecond
        guard needsSecond, hasSecond || !who.isRoot else { return .allowed }
        return .needsSecond
    }

    private static func isWithin(_ reach: AdministratorReach, _ subject: AdministrativeSubject) -> Bool {
        guard case .groups = reach else { return true }
        switch subject {
        case .site: return false
        // A user without phones does not belong to a ward.
        case .things(let groups): return !groups.isEmpty && groups.allSatisfy(reach.changes)
        }
    }

    /// Returns why `who` cannot approve what `proposer` wants, or nil if `who` can.
    ///
    /// Both are judged by their present rights. A proposal does not preserve a right that was removed since.
    public static func refusal(
        toApprove act: AdministrativeAct, about subject: AdministrativeSubject, of proposer: Administrator,
        by who: Administrator
    ) -> String? {
        if proposer.id == who.id { return "you cannot approve your own proposal; ask another administrator" }
        if case .refused = judge(proposer, act, about: subject) {
            return "\(proposer.name), who proposed this, may no longer do it"
        }
        guard isAdministrator(who.role) else {
            return "\(who.role.words) cannot approve proposals; ask an administrator"
        }
        if case .refused(let why) = judge(who, act, about: subject) { return why }
        return nil
    }
}

extension AdministratorPolicy {
    /// Returns whether an administrator may reject the proposals of others.
    public static func mayReject(_ who: Administrator) -> Bool { who.state == .active && isAdministrator(who.role) }

    /// Returns whether an administrator sees the proposals of `proposer`. Ward administrators see only their own
    /// proposals, because others may name boxes and phones of other groups.
    public static func seesProposals(of proposer: Int64, _ who: Administrator) -> Bool {
        who.role != .ward || proposer == who.id
    }
}
