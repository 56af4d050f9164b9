import SiteTrust

/// A queue of site documents that phones show. Anyone may show a document, and each document costs a signature check.
struct ShownDocuments: Sendable {
    /// The most documents that wait for the vault.
    static let waitingLimit = 4
    /// The most documents that are checked in a row. After each `interval`, one more may be checked.
    static let burst = 8
    static let interval: Duration = .seconds(10)

    private var waiting: [(channel: ChannelID, document: ClaimedSiteDocument)] = []
    private var looked = 0
    private var since = Duration.zero

    /// Adds a document. Returns false if too many documents have come, so that this one is not checked.
    mutating func add(_ document: ClaimedSiteDocument, of channel: ChannelID, at now: Duration) -> Bool {
        let forgiven = Int(clamping: (now - since).components.seconds / Self.interval.components.seconds)
        if forgiven > 0 {
            looked = max(0, looked - forgiven)
            since = looked == 0 ? now : since + Self.interval * forgiven
        }
        guard looked < Self.burst, waiting.count < Self.waitingLimit else { return false }
        if looked == 0 { since = now }
        looked += 1
        waiting.append((channel, document))
        return true
    }

    mutating func next() -> (channel: ChannelID, document: ClaimedSiteDocument)? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
