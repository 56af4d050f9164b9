import Secrets
import SecureChannel
import SiteTrust
import TestSupport
import Testing

@testable import SiteLink

@Suite("A box and a server of its site talk")
struct SiteConversationTests {
    private typealias Fixture = LinkFixture

    @Test("What is said comes over through any cutting of the stream", arguments: seeds, [false, true])
    private func anyCutting(seed: UInt64, joining: Bool) throws {
        let pair = try LinkPair(seed: seed)
        pair.toBox(pair.server.opening)
        #expect(pair.boxEvents == [.greeted(try Fixture.greeting())], "seed \(seed)")
        let first: [UInt8]?
        if joining {
            first = try pair.join(Fixture.codeID, secret: Fixture.serverKeys().joinSecret(codeID: Fixture.codeID))
        } else {
            first = pair.shake()
        }
        pair.toServer(try #require(first))
        pair.answer()
        #expect(pair.boxEvents.last == .established, "seed \(seed)")
        let hello = MessageToSite.hello(try Fixture.hello())
        pair.toServer(try #require(pair.box.seal(hello, now: .zero)))
        let proved = SiteServerEvent.proved(boxKey: Fixture.box, codeID: joining ? Fixture.codeID : nil)
        #expect(pair.serverEvents == [proved, .said(hello)], "seed \(seed)")
        pair.forget()

        // Each side sends all messages at once, as one stream of bytes.
        let entries = try (0..<64).map { try Fixture.revocation($0) }
        let fromSite: [MessageFromSite] = try [
            .certificate(Fixture.boxCertificate()), .document(ClaimedSiteDocument(parsing: Fixture.document().bytes)),
            .entries(entries), .head(Fixture.head()), .wantEntries, .head(Fixture.head()),
        ]
        pair.toBox(try fromSite.flatMap { try #require(pair.server.seal($0, now: .zero)) })
        #expect(pair.boxEvents == fromSite.map { .said($0) }, "seed \(seed)")
        let toSite: [MessageToSite] = [
            .took(number: 43), .entries(entries), .entries([entries[3]]), .entriesEnd, .differs(number: 44), .leaving,
        ]
        pair.toServer(try toSite.flatMap { try #require(pair.box.seal($0, now: .zero)) })
        #expect(pair.serverEvents == toSite.map { .said($0) }, "seed \(seed)")
    }

    @Test("A channel that a side ends in order is told apart from one that broke")
    func closing() throws {
        let byBox = try LinkPair.open()
        byBox.toServer(byBox.box.close())
        #expect(byBox.serverEvents == [.ended(.closedByPeer)])
        let byServer = try LinkPair.open()
        byServer.toBox(byServer.server.close())
        #expect(byServer.boxEvents == [.ended(.closedByPeer)])
        for pair in [byBox, byServer] {
            #expect(pair.box.seal(.leaving, now: .zero) == nil && pair.server.seal(.wantEntries, now: .zero) == nil)
            #expect(pair.box.close() == [] && pair.server.close() == [])
            #expect(pair.box.receive([0, 0], now: .zero) == [] && pair.server.receive([0, 0], now: .zero) == [])
            #expect(pair.box.timeHasCome(now: .seconds(9_999)) == nil)
            #expect(pair.server.timeHasCome(now: .seconds(9_999)) == nil)
        }
    }

    @Test("Before there is a channel nothing is sealed, and there is none to close")
    func early() throws {
        let pair = try LinkPair()
        #expect(pair.box.seal(.leaving, now: .zero) == nil && pair.server.seal(.wantEntries, now: .zero) == nil)
        #expect(pair.shake() == nil)
        #expect(pair.box.close() == [] && pair.server.close() == [])
    }

    @Test("Whoever says nothing is left once the handshake's time is over, and not before")
    func silentHandshake() throws {
        let (limit, late) = (SiteLinkTimes.handshake, SiteLinkTimes.handshake - .nanoseconds(1))
        let pair = try LinkPair(now: .seconds(100))
        #expect(pair.box.deadline == .seconds(100) + limit && pair.server.deadline == .seconds(100) + limit)
        // Later bytes do not move the deadline. Otherwise, a peer could hold the link with single bytes.
        pair.toBox(pair.server.opening, now: .seconds(101))
        let first = pair.shake()
        pair.toServer(try #require(first), now: .seconds(102))
        #expect(pair.box.deadline == .seconds(100) + limit && pair.server.deadline == .seconds(100) + limit)
        #expect(pair.box.timeHasCome(now: .seconds(100) + late) == nil)
        #expect(pair.server.timeHasCome(now: .seconds(100) + late) == nil)
        #expect(pair.box.timeHasCome(now: .seconds(100) + limit) == .ended(.timedOut))
        #expect(pair.server.timeHasCome(now: .seconds(100) + limit) == .ended(.timedOut))
    }

    @Test("A box gives up a server that misses two heads; half a message is none")
    func silentServer() throws {
        let pair = try LinkPair.proved(now: .seconds(10))
        #expect(pair.box.deadline == .seconds(10) + SiteLinkTimes.silence)
        let head = try #require(pair.server.seal(.head(Fixture.head()), now: .seconds(70)))
        pair.toBox([UInt8](head.dropLast()), now: .seconds(70))
        #expect(pair.box.deadline == .seconds(10) + SiteLinkTimes.silence)
        pair.toBox([UInt8](head.suffix(1)), now: .seconds(71))
        #expect(pair.box.deadline == .seconds(71) + SiteLinkTimes.silence)
        #expect(pair.box.timeHasCome(now: pair.box.deadline - .nanoseconds(1)) == nil)
        #expect(pair.box.timeHasCome(now: pair.box.deadline) == .ended(.timedOut))
    }

    @Test("A server ends a channel that is used for too long, whatever is said on it, while the channel still lives")
    func longUse() throws {
        let pair = try LinkPair.proved(now: .seconds(10))
        let end = Duration.seconds(10) + SiteLinkTimes.longestUse + SiteLinkTimes.handshake
        #expect(pair.server.deadline == end && end - .seconds(10) < ChannelLimits().age)
        for second in stride(from: 60, to: 3_300, by: 60) {
            let now = Duration.seconds(10 + second)
            pair.toBox(try #require(pair.server.seal(.head(Fixture.head()), now: now)), now: now)
            pair.toServer(try #require(pair.box.seal(.took(number: 43), now: now)), now: now)
        }
        #expect(pair.serverEvents.count == 54 && pair.boxEvents.count == 54 && pair.server.deadline == end)
        #expect(pair.server.timeHasCome(now: end - .nanoseconds(1)) == nil)
        #expect(pair.server.timeHasCome(now: end) == .ended(.timedOut))
    }
}
