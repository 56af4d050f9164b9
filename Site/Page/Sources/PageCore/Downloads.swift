/// Which downloads run: one of each session, a few at once, each for some minutes. Times are seconds since boot.
public struct Downloads: Sendable {
    private var open: [(number: UInt64, token: [UInt8], end: UInt64)] = []
    private var last: UInt64 = 0

    public init() {}

    /// Why there is no place for one more.
    public enum Refusal: Error, Equatable, Sendable {
        /// The session has one.
        case ownRuns
        case tooMany
    }

    /// A place for one more, by a number that only this one has. One whose time is over holds none, whatever became of it.
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
