/// Which streams are open. Of one session, the oldest makes room: a browser that has left a page is noticed only when something is
/// written to it, and whoever goes quickly from page to page is not to be kept from the last one.
public struct LiveStreams: Sendable {
    private var open: [(number: UInt64, token: [UInt8])] = []
    private var last: UInt64 = 0

    public init() {}

    /// A place for one more, by a number that only this one has; nil: there is none.
    public mutating func begin(of token: [UInt8]) -> UInt64? {
        let own = open.filter { $0.token == token }
        if own.count >= PageLimits.streamsPerSession, let oldest = own.first { end(oldest.number) }
        guard open.count < PageLimits.streams else { return nil }
        last += 1
        open.append((last, token))
        return last
    }

    public func isOpen(_ number: UInt64) -> Bool { open.contains { $0.number == number } }
    public mutating func end(_ number: UInt64) { open.removeAll { $0.number == number } }
}
