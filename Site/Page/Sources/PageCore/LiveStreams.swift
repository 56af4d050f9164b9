/// The open streams. If a session has too many, its oldest stream is closed for a new one. That a browser has left a
/// page is noticed only at the next write, and quick page changes must not block the last page.
public struct LiveStreams: Sendable {
    private var open: [(number: UInt64, token: [UInt8])] = []
    private var last: UInt64 = 0

    public init() {}

    /// Opens a stream and returns its unique number, or nil if there is no room.
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
