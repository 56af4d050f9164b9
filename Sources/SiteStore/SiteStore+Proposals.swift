import Names
import PostgreSQL
import Secrets
import SiteCore
import SiteTrust

extension SiteStore {
    /// How long an expired proposal can still be asked for, in seconds: one day.
    private static let proposalsKept: UInt64 = 86_400

    /// Records an order that waits. If the same administrator has already proposed the same, returns that proposal.
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

    /// Approves another administrator's proposal and performs it. With `alone`, root approves a proposal, even its own,
    /// for a reason that is recorded.
    ///
    /// Both administrators and the subject are judged as they are now. A repeated approval changes nothing.
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

    /// Rejects a proposal of the administrator's own, or one of another if the role allows it.
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

    /// Returns the waiting proposals of one administrator, or of all if `proposer` is nil.
    public func proposals(of proposer: Int64?) async throws(SiteStoreError) -> [SiteProposal] {
        var found: [SiteProposal] = []
        let rows = try await run(AdministratorStatements.waiting, [proposer.map { .integer($0) } ?? .null])
        for row in rows { found.append(try SiteProposal(row)) }
        return found
    }

    // MARK: - Parts of a transaction with the write lock

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
        // A proposal that the administrator may not see counts as missing.
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
    /// The proposal for the audit table, without names.
    var detail: String {
        let detail = order.detail
        return "\(CrockfordBase32.text(id)) \(order.event)" + (detail.isEmpty ? "" : " \(detail)")
    }
}

extension Administrator {
    /// Returns an administrator's ID in the audit table.
    static func words(_ id: Int64) -> String { id == root.id ? root.name : "administrator \(id)" }
}
