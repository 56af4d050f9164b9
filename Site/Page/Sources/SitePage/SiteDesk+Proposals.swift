import PageCore
import SiteControl

/// The outcome of an order.
enum OrderOutcome: Equatable, Sendable {
    case done
    /// Nothing is done yet: the order waits for a second administrator.
    case waits(ProposalListing)
}

extension SiteDesk {
    /// Most proposals in one list; each administrator has at most 100 that wait.
    private static let proposalsListed = 10_000

    /// Sends an order that may need a second administrator.
    func order(_ request: SiteRequest, as administrator: String) async throws(DeskFailure) -> OrderOutcome {
        for case .proposal(let proposal) in try await ask(request, as: administrator).replies {
            return .waits(proposal)
        }
        return .done
    }

    /// Returns the administrator's row, as boxsited has it now.
    func whoIs(_ administrator: String) async throws(DeskFailure) -> AdministratorListing {
        guard case .administrator(let who)? = try await ask(.whoAmI, as: administrator).replies.first else {
            throw Self.unexpected
        }
        return who
    }

    func proposals(as administrator: String) async throws(DeskFailure) -> [ProposalListing] {
        try await ask(.proposals, as: administrator, limit: Self.proposalsListed).replies.compactMap {
            if case .proposal(let proposal) = $0 { proposal } else { nil }
        }
    }

    /// Approves and performs another administrator's proposal.
    func approve(_ id: String, as administrator: String) async throws(DeskFailure) {
        _ = try await ask(.approve(proposal: id, alone: false, reason: ""), as: administrator)
    }

    func reject(_ id: String, reason: String, as administrator: String) async throws(DeskFailure) {
        _ = try await ask(.reject(proposal: id, reason: reason), as: administrator)
    }
}
