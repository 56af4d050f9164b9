/// Divides the page's requests, so that visitors who are not signed in cannot use up what administrators need.
///
///     signed in            the session's own budget (`Sessions.take`)
///     not signed in        at a network where an administrator signed in: that network's budget, while it lasts
///                          otherwise the network's budget, and the budget of all visitors together
///
/// A visitor whose network the page does not know has only the last one.
public struct RequestShares: Sendable {
    private var known = BudgetTable(limit: PageLimits.knownNetworks)
    private var others = BudgetTable(limit: PageLimits.networks)
    private var together = TokenBucket(burst: PageLimits.requestBurst, perSecond: PageLimits.requestsPerSecond)

    public init() {}

    /// Returns whether a visitor who is not signed in may make a request. `now` is in seconds of a clock that never
    /// goes back.
    public mutating func take(from network: ClientNetwork?, now: Double) -> Bool {
        if let network {
            if known.has(network), known.take(network, now: now) { return true }
            guard others.take(network, now: now) else { return false }
        }
        return together.take(now: now)
    }

    /// Records that an administrator signed in from that network.
    public mutating func signedIn(from network: ClientNetwork?, now: Double) {
        if let network { known.add(network, now: now) }
    }
}

/// The budgets of networks, for at most `limit` networks. A full table forgets the half that asked longest ago.
private struct BudgetTable: Sendable {
    let limit: Int
    private var budgets: [ClientNetwork: (bucket: TokenBucket, used: Double)] = [:]

    init(limit: Int) { self.limit = limit }

    func has(_ network: ClientNetwork) -> Bool { budgets[network] != nil }

    mutating func add(_ network: ClientNetwork, now: Double) {
        guard !has(network) else { return }
        if budgets.count >= limit {
            let newest = budgets.sorted { $0.value.used > $1.value.used }.prefix(limit / 2)
            budgets = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        }
        budgets[network] = (.ofVisitor, now)
    }

    mutating func take(_ network: ClientNetwork, now: Double) -> Bool {
        add(network, now: now)
        budgets[network]?.used = now
        return budgets[network]?.bucket.take(now: now) ?? false
    }
}

extension TokenBucket {
    /// The budget of one session, or of one network.
    static let ofVisitor = TokenBucket(burst: PageLimits.visitorBurst, perSecond: PageLimits.visitorRequestsPerSecond)
}
