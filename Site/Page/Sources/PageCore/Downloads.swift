/// The running downloads: one for each session, a few at once, each for some minutes. Times are seconds since boot.
public struct Downloads: Sendable {
    private var open: [(number: UInt64, token: [UInt8], end: UInt64)] = []
    private var last: UInt64 = 0

    public init() {}

    /// The reason why a download may not start.
    public enum Refusal: Error, Equatable, Sendable {
        /// The session already has a download.
        case ownRuns
        case tooMany
    }

    /// Starts a download and returns its unique number. A download whose time is over no longer counts.
    public mutating func begin(of token: [UInt8], now: UInt64) throws(Refusal) -> UInt64 {
        open.removeAll { $0.end <= now }
        guard !open.contains(where: { $0.token == token }) else { throw .ownRuns }
        guard open.count < PageLimits.downloads else { throw .tooMany }
        last += 1
        open.append((last, token, now + UInt64(PageLimits.downloadSeconds)))
        return last
    }

    public func isOpen(_ number: UInt64, now: UInt64) -> Bool { open.contains { $0.number == number && now < $0.end } }
    public mutating func end(_ number: UInt64) { open.removeAll { $0.number == number } }
}
