import ControlProtocol
import Names
import SiteControl
import SiteCore
import SiteStore
import SiteTrust

extension SiteControlConnection {
    /// Performs an order that may need a second administrator, and reports the outcome.
    func order(_ wish: OrderWish, _ reason: String) async throws(SiteStoreError) {
        guard await isReason(reason) else { return }
        let ordered: OrderOutcome
        do throws(SiteStoreError) {
            ordered = try await server.store.order(wish, reason: reason, by: actor, await server.issuing)
        } catch {
            // The directory is only asked after a failure, so that a hanging directory does not delay a revocation.
            guard case .noSuchUser(let user) = error,
                case .there(_, let name?)? = await server.directory?.ask(user)
            else { throw error }
            let what = "there is no user \(user) at this site: the directory calls \(user) \(name)"
            return await say(.failure(.notFound, what: ControlLimits.cut(what), cure: "write \(name)"))
        }
        switch ordered {
        case .done(let text):
            await server.refresh()
            await say(.done(text: text))
        case .proposed(let proposal):
            await say(.proposal(listing(proposal)))
            await say(.done(text: ""))
        }
    }

    /// Returns false after it has reported the problem.
    func isReason(_ text: String) async -> Bool {
        guard !SitePhone.isPrintable(text) else { return true }
        await refuse("the reason is not valid", "write it without control characters")
        return false
    }

    /// Returns the terms of a new administrator, or nil after it has reported a problem.
    func terms(_ wish: AdministratorWish) async -> AdministratorTerms? {
        guard let role = wish.role.flatMap(Administrator.Role.init(rawValue:)) else {
            await refuseRole()
            return nil
        }
        guard let groups = await groups(wish) else { return nil }
        let account = wish.account.flatMap { $0.isEmpty ? nil : $0 }
        let terms = AdministratorTerms(name: wish.name, role: role, groups: groups.value, account: account)
        guard let fault = terms.fault else { return terms }
        await refuse(fault, "")
        return nil
    }

    func changeAdministrator(_ wish: AdministratorWish, _ reason: String) async throws(SiteStoreError) {
        let role = wish.role.flatMap(Administrator.Role.init(rawValue:))
        guard (role == nil) == (wish.role == nil) else { return await refuseRole() }
        guard let groups = await groups(wish) else { return }
        try await order(
            .changeAdministrator(name: wish.name, role: role, groups: groups.value, account: wish.account), reason)
    }

    private func refuseRole() async {
        let roles = Administrator.Role.allCases.map(\.rawValue).joined(separator: ", ")
        await refuse("this role does not exist", "the roles are \(roles)")
    }

    private struct Groups {
        let value: SiteGroups?
    }

    /// Returns nil after it has reported a problem.
    private func groups(_ wish: AdministratorWish) async -> Groups? {
        guard let numbers = wish.groups else { return Groups(value: nil) }
        guard let groups = SiteGroups(numbers) else {
            await refuse("the groups are not valid", "name 1 to 8 groups from 1 to 65535, each once")
            return nil
        }
        return Groups(value: groups)
    }

    // MARK: - Lists

    func listAdministrators() async throws(SiteStoreError) {
        var last: Int64 = 0
        while true {
            let page = try await server.store.administrators(after: last)
            guard let end = page.last else { return }
            for administrator in page { await say(.administrator(listing(administrator))) }
            last = end.id
        }
    }

    func listProposals() async throws(SiteStoreError) {
        for proposal in try await server.store.proposals(of: who.role == .ward ? who.id : nil) {
            await say(.proposal(listing(proposal)))
        }
    }

    func listing(_ administrator: Administrator) -> AdministratorListing {
        var listing = AdministratorListing()
        listing.number = UInt64(clamping: administrator.id)
        listing.name = administrator.name
        listing.role = administrator.role.rawValue
        listing.groups = administrator.terms.groups?.numbers ?? []
        listing.account = administrator.terms.account
        return listing
    }

    private func listing(_ proposal: SiteProposal) -> ProposalListing {
        var listing = ProposalListing()
        listing.id = CrockfordBase32.text(proposal.id)
        listing.proposer = UInt64(clamping: proposal.proposer)
        listing.proposerName = proposal.proposerName
        listing.order = ControlLimits.cut(proposal.order.words)
        listing.reason = proposal.order.reason
        listing.made = proposal.made
        listing.expiry = proposal.expiry
        return listing
    }
}
