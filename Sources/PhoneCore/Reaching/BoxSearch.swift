import Links

/// The state of a search for the box with some digits: the boxes that wait for a visit, the one that has proved the
/// box's key, and the rejected ones with the reasons. Pure.
final class BoxSearch {
    /// The most boxes to try, in case many impostors show the digits.
    static let triesLimit = 8

    /// The search continues for this long after a failed link, for another box with the same digits.
    static let afterLinkFailure = Duration.seconds(1)

    /// The time for a visit while other boxes wait, and for all other visits once a box has proved the key. So a device
    /// that answers slowly, or not at all, delays the person no longer.
    static let besideOthers = Duration.seconds(4)

    let boxID: String
    private(set) var deadline: Duration
    private var waiting: [Advertisement] = []
    /// The box that has proved the key. The boxes that wait may prove it, too, until `deadline`.
    private var proved: Advertisement?
    /// When to leave the visited box for the others. Nil if it is the only one.
    private(set) var visitEnd: Duration?
    private var passedBy: [String] = []
    private var identityProblem: IdentityProblem?
    private(set) var linkError: LinkError?
    private var isRefused = false

    init(boxID: String, until deadline: Duration) {
        self.boxID = boxID
        self.deadline = deadline
    }

    var mayTryMore: Bool { passedBy.count < Self.triesLimit }

    func isCandidate(_ advertisement: Advertisement) -> Bool {
        guard let shown = advertisement.boxID, shown.hasBytes(of: boxID) else { return false }
        return !hasPassedBy(advertisement) && !waiting.contains { $0.address.hasBytes(of: advertisement.address) }
    }

    private func hasPassedBy(_ advertisement: Advertisement) -> Bool {
        passedBy.contains { $0.hasBytes(of: advertisement.address) }
    }

    // MARK: Boxes that wait for a visit

    /// Adds a candidate that was heard. The box's usual address comes first, and always has a place.
    func add(_ advertisement: Advertisement, isUsual: Bool) {
        if isUsual {
            waiting.insert(advertisement, at: 0)
        } else if waiting.count < Self.triesLimit {
            waiting.append(advertisement)
        }
    }

    /// True if no box waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// The box that waits, if there is only one and no other was visited.
    var only: Advertisement? { waiting.count == 1 && passedBy.isEmpty ? waiting.first : nil }

    /// Returns the next box to visit: one that waits, else the one that has proved the key.
    func next(now: Duration) -> Advertisement? {
        guard PhoneLimits.hearsOthers else { return waiting.isEmpty ? nil : waiting.removeFirst() }
        visitEnd = nil
        guard mayTryMore, !waiting.isEmpty, proved == nil || now < deadline else {
            waiting = []
            return proved
        }
        let next = waiting.removeFirst()
        if proved != nil { visitEnd = deadline } else if !waiting.isEmpty { visitEnd = now + Self.besideOthers }
        return next
    }

    /// Notes that a box has proved the key. The visits to the boxes that wait then have a common end.
    func prove(_ advertisement: Advertisement, now: Duration) -> Proof {
        if let proved { return proved.address.hasBytes(of: advertisement.address) ? .alone : .second }
        proved = advertisement
        guard !waiting.isEmpty else { return .alone }
        deadline = now + Self.besideOthers
        return .open
    }

    @inline(never)
    func passBy(_ advertisement: Advertisement, _ reason: ReachFailure, now: Duration) {
        if !hasPassedBy(advertisement) { passedBy.append(advertisement.address) }
        if PhoneLimits.hearsOthers, let kept = proved, kept.address.hasBytes(of: advertisement.address) { proved = nil }
        switch reason {
        case .identity(let problem): identityProblem = problem
        case .link(let error):
            linkError = error
            deadline = min(deadline, now + Self.afterLinkFailure)
        case .handshake: isRefused = true
        }
    }

    /// The error if no box was found. An unreached box is more likely right than a box with a wrong identity.
    var failure: PhoneError {
        if let linkError { return .unreachable(boxID: boxID, linkError) }
        if isRefused { return .notAccepted(boxID: boxID) }
        if let identityProblem { return .notTheBox(boxID: boxID, identityProblem) }
        return .boxNotFound(boxID: boxID)
    }
}

/// The meaning of a box's proof that it has the key.
enum Proof: Sendable {
    /// No other box in range has proved the key.
    case alone
    /// Other boxes wait for a visit.
    case open
    /// Another box has proved the key, too.
    case second
}

/// The reason for which a box was rejected.
enum ReachFailure: Error, Equatable {
    case identity(IdentityProblem)
    case link(LinkError)
    /// The box did not prove the key.
    case handshake
}
