// A stand-in until helper transport pushes the real one: TAKE YOURS in the conflict.
public actor MessageLink {
    let link: any PhoneLink
    let clock: any LinkClock
    public init(link: any PhoneLink, clock: any LinkClock, messageLimit: Int) { self.link = link; self.clock = clock }
    public func send(_ m: [UInt8]) async throws(LinkError) { try await link.send(m) }
    public func receive(until: Duration) async throws(LinkError) -> [UInt8] { try await link.receive() }
    public func raiseMessageLimit(to: Int) {}
    public func close() async { await link.close() }
}
