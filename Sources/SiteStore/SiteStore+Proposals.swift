import Names
import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

extension SiteStore {
    /// A day, in seconds: how long a proposal that is over can still be asked for.
    private static let proposalsKept: UInt64 = 86_400

    /// Writes down an order that waits; the one that is there already, where the same one has proposed the same.
    static func propose(
        _ found: FoundOrder, of who: Administrator, _ actor: Actor, _ transaction: DatabaseTransaction, _ turn: Turn
    ) async throws -> SiteProposal {
        let order = found.order
        let old = Int64(clamping: turn.time - min(turn.time, proposalsKept))
        _ = try await transaction.run(AdministratorStatements.forgetProposals, [.integer(old)])
        let mine = try await transaction.run(AdministratorStatements.waiting, [.integer(who.id)]).rows
        for row in mine {
            let waiting = try SiteProposal(row)
            if waiting.order == order { return waiting }
        }
        guard mine.count < AdministratorPolicy.proposalLimit else {
            throw SiteStoreError.notAllowed(
                "you already have \(mine.count) waiting proposals; another administrator must first decide some")
        }
        let proposal = SiteProposal(
            id: randomBytes(count: SiteProposal.idBytes), proposer: who.id, proposerName: who.name, order: order,
            made: turn.time, expiry: turn.time + AdministratorPolicy.proposalLife, state: .waiting, decidedBy: nil)
        let terms = order.target.terms?.columns ?? [.null, .null, .null, .null]
        _ = try await transaction.run(
            AdministratorStatements.propose,
            [.bytes(proposal.id), .integer(who.id)] + order.target.columns + [.text(order.name), .text(order.reason)]
                + terms + [.integer(Int64(clamping: proposal.made)), .integer(Int64(clamping: proposal.expiry))])
        try await audit(transaction, actor, "proposed", found.about, proposal.detail)
        return proposal
    }

    /// Approves what somebody else has proposed, and does it. `alone`: root approves its own; the reason is written down.
    ///
    /// Everything is looked at as it is now: both administrators, and what it is about. Approved again by the same one it says so, and
    /// does nothing.
    public func approve(
        _ text: String, alone: Bool, reason: String, by actor: Actor, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) -> String {
        try await change { transaction, turn in
            let (proposal, who) = try await Self.proposal(text, actor, transaction)
            let order = proposal.order
            if proposal.state == .approved, proposal.decidedBy == who.id { return "already approved: \(order.words)" }
            try Self.checkOpen(proposal, turn)
            guard let proposer = try await Self.administrator(id: proposal.proposer, transaction) else {
                throw SiteStoreError.damaged("a proposal without a proposer")
            }
            let found = try await Self.found(order, transaction, issuing)
            if alone {
                guard who.isRoot, !reason.isEmpty else {
                    throw SiteStoreError.notApproved("only root can approve alone, with a reason")
                }
                if case .refused(let why) = AdministratorPolicy.judge(proposer, found.act, about: found.subject) {
                    throw SiteStoreError.notApproved(why)
                }
            } else if let why = AdministratorPolicy.refusal(
                toApprove: found.act, about: found.subject, of: proposer, by: who)
            {
                throw SiteStoreError.notApproved(why)
            }
            try await Self.decide(proposal, .approved, who, transaction)
            let hasChanged = try await Self.perform(order, transaction, turn, issuing)
            let how = alone ? "alone: \(reason)" : "proposed by \(Administrator.words(proposal.proposer))"
            try await Self.audit(
                transaction, actor, "approved", found.about, "\(proposal.detail); \(how)")
            return order.report(hasChanged: hasChanged)
        }
    }

    /// Ends a proposal: one's own, or one that one could approve.
    public func reject(
        _ text: String, reason: String, by actor: Actor, _ issuing: SiteIssuing
    ) async throws(SiteStoreError) -> String {
        try await change { transaction, turn in
            let (proposal, who) = try await Self.proposal(text, actor, transaction)
            let order = proposal.order
            if proposal.state == .rejected, proposal.decidedBy == who.id { return "already rejected: \(order.words)" }
            try Self.checkOpen(proposal, turn)
            guard proposal.proposer == who.id || AdministratorPolicy.mayReject(who) else {
                throw SiteStoreError.notApproved("\(who.role.words) cannot reject this; ask an administrator")
            }
            try await Self.decide(proposal, .rejected, who, transaction)
            let why = reason.isEmpty ? "" : ": \(reason)"
            try await Self.audit(
                transaction, actor, "rejected", try await Self.found(order, transaction, issuing).about,
                "\(proposal.detail); proposed by \(Administrator.words(proposal.proposer))\(why)")
            return "rejected: \(order.words)"
        }
    }

    /// Those that wait; of one administrator alone, or all.
    public func proposals(of proposer: Int64?) async throws(SiteStoreError) -> [SiteProposal] {
        var found: [SiteProposal] = []
        let rows = try await run(AdministratorStatements.waiting, [proposer.map { .integer($0) } ?? .null])
        for row in rows { found.append(try SiteProposal(row)) }
        return found
    }

    // MARK: - Parts of a transaction that has its turn

    private static func proposal(
        _ text: String, _ actor: Actor, _ transaction: DatabaseTransaction
    ) async throws -> (SiteProposal, Administrator) {
        guard let petitioner = actor.petitioner else { throw SiteStoreError.notAllowed("no administrator named") }
        let who = try await administrator(petitioner, transaction)
        if let refusal = AdministratorPolicy.refusal(of: who, .decideProposals) {
            throw SiteStoreError.notAllowed(refusal)
        }
        guard let id = CrockfordBase32.bytes(Array(text.utf8)), id.count == SiteProposal.idBytes,
            let row = try await transaction.run(AdministratorStatements.proposal, [.bytes(id)]).rows.first
        else { throw SiteStoreError.noSuchProposal(text) }
        let proposal = try SiteProposal(row)
        // To others, those of which they are not shown are not there.
        guard AdministratorPolicy.seesProposals(of: proposal.proposer, who) else {
            throw SiteStoreError.noSuchProposal(text)
        }
        return (proposal, who)
    }

    private static func checkOpen(_ proposal: SiteProposal, _ turn: Turn) throws(SiteStoreError) {
        switch proposal.state {
        case .approved: throw .notApproved("this is already approved")
        case .rejected: throw .notApproved("this was rejected; if you still want it, propose it again")
        case .waiting: break
        }
        guard turn.time < proposal.expiry else {
            throw .notApproved("this proposal has expired; if you still want it, propose it again")
        }
    }

    private static func decide(
        _ proposal: SiteProposal, _ state: SiteProposal.State, _ who: Administrator, _ transaction: DatabaseTransaction
    ) async throws {
        let rows = try await transaction.run(
            AdministratorStatements.decide, [.bytes(proposal.id), .text(state.rawValue), .integer(who.id)]
        ).rows
        guard !rows.isEmpty else { throw SiteStoreError.notApproved("this was decided in the meantime") }
    }
}

extension SiteProposal {
    /// For the audit table: what is proposed, without a name.
    var detail: String {
        let detail = order.detail
        return "\(CrockfordBase32.text(id)) \(order.event)" + (detail.isEmpty ? "" : " \(detail)")
    }
}

extension Administrator {
    /// As the audit table has somebody.
    static func words(_ id: Int64) -> String { id == root.id ? root.name : "administrator \(id)" }
}
