import Links

/// A search for the box behind some digits, among those that show them: who was passed by, and why.
///
/// Pure.
final class BoxSearch {
    /// Advertisers that are tried; a room full of boxes that all pretend ends the search.
    static let triesLimit = 8

    /// After a link that failed the search goes on for this long: for somebody else with the same digits.
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

    /// What to say when nothing was found. A box that was seen and not reached is likelier the right one than one
    /// that is somebody else's.
    var failure: PhoneError {
        if let linkError { return .unreachable(boxID: boxID, linkError) }
        if let identityProblem { return .notTheBox(boxID: boxID, identityProblem) }
        return .boxNotFound(boxID: boxID)
    }
}

/// Why an advertiser was passed by.
enum ReachFailure: Error, Equatable {
    case identity(IdentityProblem)
    case link(LinkError)
}
