import Links

/// The state of a search for the box with some digits: the boxes that were rejected, and the reasons. Pure.
final class BoxSearch {
    /// The most boxes to try, in case many impostors show the digits.
    static let triesLimit = 8

    /// The search continues for this long after a failed link, for another box with the same digits.
    static let afterLinkFailure = Duration.seconds(1)

    let boxID: String
    private(set) var deadline: Duration
    private var passedBy: [String] = []
    private var identityProblem: IdentityProblem?
    private var linkError: LinkError?

    init(boxID: String, until deadline: Duration) {
        self.boxID = boxID
        self.deadline = deadline
    }

    var mayTryMore: Bool { passedBy.count < Self.triesLimit }

    func isCandidate(_ advertisement: Advertisement) -> Bool {
        guard let shown = advertisement.boxID, shown.hasBytes(of: boxID) else { return false }
        return !hasPassedBy(advertisement)
    }

    private func hasPassedBy(_ advertisement: Advertisement) -> Bool {
        passedBy.contains { $0.hasBytes(of: advertisement.address) }
    }

    @inline(never)
    func passBy(_ advertisement: Advertisement, _ reason: ReachFailure, now: Duration) {
        if !hasPassedBy(advertisement) { passedBy.append(advertisement.address) }
        switch reason {
        case .identity(let problem): identityProblem = problem
        case .link(let error):
            linkError = error
            deadline = min(deadline, now + Self.afterLinkFailure)
        }
    }

    /// The error if no box was found. An unreached box is more likely right than a box with a wrong identity.
    var failure: PhoneError {
        if let linkError { return .unreachable(boxID: boxID, linkError) }
        if let identityProblem { return .notTheBox(boxID: boxID, identityProblem) }
        return .boxNotFound(boxID: boxID)
    }
}

/// The reason for which a box was rejected.
enum ReachFailure: Error, Equatable {
    case identity(IdentityProblem)
    case link(LinkError)
}
