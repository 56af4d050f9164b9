/// Who may do what. Pure: the same answer for a command, the page, and a proposal that waits.
public enum AdministratorPolicy {
    /// So many may be taken back by one administrator within the window, without a second one.
    public static let revocationLimit = 20
    /// In seconds.
    public static let revocationWindow: UInt64 = 3_600
    /// A proposal that nobody has decided about within so many seconds is over.
    public static let proposalLife: UInt64 = 3_600
    /// Proposals of one administrator that may wait.
    public static let proposalLimit = 100

    public enum Verdict: Sendable, Equatable {
        case allowed
        case needsSecond
        /// What is not allowed, in a sentence.
        case refused(String)
    }

    /// How far a role reaches with an act; nil: nowhere.
    public static func reach(of who: Administrator, _ act: AdministrativeAct) -> AdministratorReach? {
        guard who.state == .active else { return nil }
        let own = who.terms.groups.map { AdministratorReach.groups($0) }
        switch (act, who.role) {
        case (.seeSelf, _), (.seeStatus, _), (.seeProposals, _), (.decideProposals, _), (.changePasskeys, _):
            return .everywhere
        case (.seeBoxes, let role), (.seePhones, let role): return role == .ward ? own : .everywhere
        // What a ward's administrator has done themselves; the whole chain is not of one ward, nor are administrators.
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

    /// Whether the role may have this act at all; what it is about is looked at later, in the change's own transaction.
    public static func refusal(of who: Administrator, _ act: AdministrativeAct) -> String? {
        guard who.state == .active else { return "\(who.name) is no longer an administrator of this site" }
        guard reach(of: who, act) == nil else { return nil }
        return "\(who.role.words) may not \(act.words); ask an administrator"
    }

    /// - Parameters:
    ///   - recent: How many the same administrator has taken back within the window, and with this act.
    ///   - hasSecond: Somebody else could approve. Without that, root alone decides: there would be no way on.
    public static func judge(
        _ who: Administrator, _ act: AdministrativeAct, about subject: AdministrativeSubject, recent: Int = 0,
        hasSecond: Bool = true
    ) -> Verdict {
        if let refusal = refusal(of: who, act) { return .refused(refusal) }
        guard let reach = reach(of: who, act), isWithin(reach, subject) else {
            return .refused("this goes beyond your groups; ask an administrator")
        }
        let needsSecond = act.alwaysNeedsSecond || act.isRevocation && recent > revocationLimit
        guard needsSecond, hasSecond || !who.isRoot else { return .allowed }
        return .needsSecond
    }

    private static func isWithin(_ reach: AdministratorReach, _ subject: AdministrativeSubject) -> Bool {
        guard case .groups = reach else { return true }
        switch subject {
        case .site: return false
        // A user without phones is nobody's of a ward.
        case .things(let groups): return !groups.isEmpty && groups.allSatisfy(reach.changes)
        }
    }

    /// Why `who` cannot be the second one for what `proposer` wants; nil: both are as they have to be.
    ///
    /// Both are judged as they are now: a proposal gives nobody a right that was taken since.
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
    /// Whether somebody may end what others have proposed.
    public static func mayReject(_ who: Administrator) -> Bool { who.state == .active && isAdministrator(who.role) }

    /// Whether somebody sees what that administrator has proposed. In a ward, that is one's own: others' name what is in other groups.
    public static func seesProposals(of proposer: Int64, _ who: Administrator) -> Bool {
        who.role != .ward || proposer == who.id
    }
}
