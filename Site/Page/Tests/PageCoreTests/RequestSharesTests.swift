import PageCore
import Testing

@Suite("Shares of the page's requests")
struct RequestSharesTests {
    private func network(_ number: Int) throws -> ClientNetwork {
        try #require(ClientNetwork("198.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"))
    }

    /// Makes requests from unknown networks, until the budget of all of them is used up.
    private func flood(_ shares: inout RequestShares, now: Double) throws {
        var number = 0
        while shares.take(from: try network(number), now: now) { number += 1 }
        #expect(number >= Int(PageLimits.requestBurst))
    }

    @Test("An address is an IPv4 address or an IPv6 /64, and nothing else is one")
    func networks() {
        func same(_ one: String, _ other: String) -> Bool { ClientNetwork(one) == ClientNetwork(other) }
        #expect(same("2001:db8::1", "2001:db8:0:0:ffff::2") && !same("2001:db8::1", "2001:db8:0:1::1"))
        #expect(same("192.0.2.1", "::ffff:192.0.2.1") && !same("192.0.2.1", "192.0.2.2"))
        #expect(!same("0.0.0.1", "0:0:0:1::"))
        for text in ["", "192.0.2", "192.0.2.1, 192.0.2.2", "192.0.2.1:80", "[::1]", "anna", "192.0.2.1\0"] {
            #expect(ClientNetwork(text) == nil, "\(text)")
        }
    }

    @Test("One network has its burst, then so many each second, and another one is not concerned")
    func one() throws {
        var shares = RequestShares()
        func takes(_ number: Int, _ now: Double) throws -> Bool { shares.take(from: try network(number), now: now) }
        for _ in 0..<Int(PageLimits.visitorBurst) { #expect(try takes(1, 0)) }
        #expect(try !takes(1, 0) && takes(2, 0))
        #expect(try takes(1, 1))
    }

    @Test("A flood from many networks stops other strangers, but no network where somebody has signed in")
    func known() throws {
        var shares = RequestShares()
        let ward = try network(70_000)
        shares.signedIn(from: ward, now: 0)
        try flood(&shares, now: 10)
        func takes(_ network: ClientNetwork?) -> Bool { shares.take(from: network, now: 10) }
        #expect(try !takes(network(70_001)) && !takes(nil))
        for _ in 0..<Int(PageLimits.visitorBurst) { #expect(takes(ward)) }
        #expect(!takes(ward))
    }

    @Test("Without an address, all visitors share one budget")
    func unknown() {
        var shares = RequestShares()
        func takes(_ now: Double) -> Bool { shares.take(from: nil, now: now) }
        for _ in 0..<Int(PageLimits.requestBurst) { #expect(takes(0)) }
        #expect(!takes(0) && takes(1))
    }

    @Test("However many networks ask or sign in, those that were used last are remembered")
    func bounds() throws {
        var shares = RequestShares()
        let ward = try network(70_000)
        for number in 0..<PageLimits.knownNetworks * 4 {
            shares.signedIn(from: try network(number), now: Double(number))
            if number % 100 == 0 { shares.signedIn(from: ward, now: Double(number)) }
            let isAllowed = shares.take(from: ward, now: Double(number))
            #expect(isAllowed)
        }
        let end = Double(PageLimits.knownNetworks * 4)
        for number in 0..<PageLimits.networks * 2 { _ = shares.take(from: try network(100_000 + number), now: end) }
        let (wards, first) = (shares.take(from: ward, now: end), shares.take(from: try network(0), now: end))
        #expect(wards && !first)
    }
}
