import Secrets
import SecureChannel
import SiteTrust
import TestSupport
import Testing

@testable import SiteLink

@Suite("What the ends of a link do against whoever does not keep to the protocol")
struct SiteLinkAttackTests {
    private typealias Fixture = LinkFixture

    private func greeted() throws -> LinkPair {
        let pair = try LinkPair()
        pair.toBox(pair.server.opening)
        pair.forget()
        return pair
    }

    private func joining(
        _ codeID: [UInt8], secret: borrowing SecretBytes, siteSecret: UInt8 = 41
    ) throws -> [SiteServerEvent] {
        let pair = try LinkPair(siteSecret: siteSecret)
        pair.toBox(pair.server.opening)
        let first = pair.join(codeID, secret: secret)
        pair.toServer(try #require(first))
        return pair.serverEvents
    }

    @Test("A server without the certified key cannot answer")
    func wrongServerKey() throws {
        let pair = try greeted()
        let first = pair.shake(Fixture.x25519(32).publicKey)
        pair.toServer(try #require(first))
        #expect(pair.serverEvents == [.ended(.handshakeFailed)])
        let other = try greeted()
        let shaken = try #require(other.shake())
        other.toServer(shaken)
        guard case .write(var reply)? = other.serverEvents.first else {
            Issue.record("no message 2")
            return
        }
        reply[10] ^= 1
        other.toBox(reply)
        #expect(other.boxEvents == [.ended(.handshakeFailed)])
        #expect(other.box.seal(.leaving, now: .zero) == nil)
    }

    @Test("A server's key of low order ends the link before anything is sent")
    func lowOrder() throws {
        let pair = try greeted()
        #expect(pair.shake([UInt8](repeating: 0, count: 32)) == nil)
        #expect(pair.box.receive([0, 1, 0], now: .zero) == [])
        let short = try greeted()
        #expect(short.shake([9]) == nil)
    }

    @Test("A greeting that was changed in one byte, on its way, makes no channel")
    func changedGreeting() throws {
        let whole = try LinkPair().server.opening
        var shaken = 0
        for position in 2..<whole.count {
            let pair = try LinkPair()
            var changed = whole
            changed[position] ^= 0x10
            pair.toBox(changed)
            guard case .greeted? = pair.boxEvents.first else {
                #expect(pair.boxEvents.count == 1, "position \(position)")
                continue
            }
            let first = pair.shake()
            pair.toServer(try #require(first))
            #expect(pair.serverEvents == [.ended(.handshakeFailed)], "position \(position)")
            shaken += 1
        }
        #expect(shaken > 200)
    }

    @Test("A join code's secret is good for its id and its site alone")
    func otherSecrets() throws {
        let keys = try Fixture.serverKeys()
        let (good, other) = (Fixture.codeID, [UInt8](repeating: 1, count: 8))
        #expect(try joining(good, secret: keys.joinSecret(codeID: good)).count == 1)
        #expect(try joining(good, secret: keys.joinSecret(codeID: other)) == [.ended(.handshakeFailed)])
        #expect(try joining(other, secret: keys.joinSecret(codeID: good)) == [.ended(.handshakeFailed)])
        #expect(try joining(good, secret: Fixture.secret(0)) == [.ended(.handshakeFailed)])
        let elsewhere = try joining(good, secret: keys.joinSecret(codeID: good), siteSecret: 42)
        #expect(elsewhere == [.ended(.handshakeFailed)])
        // A code's secret cannot open a plain link, because the purpose is in the prologue and in the pattern's name.
        let pair = try greeted()
        let first = try #require(try pair.join(good, secret: keys.joinSecret(codeID: good)))
        pair.toServer(SiteFrames.frame([1] + first.dropFirst(2 + 1 + 8)))
        #expect(pair.serverEvents == [.ended(.handshakeFailed)])
    }

    @Test("Message 1 played again proves nothing, and what was said after it does not decrypt")
    func replay() throws {
        let pair = try greeted()
        let first = try #require(pair.shake())
        pair.toServer(first)
        pair.answer()
        let hello = try #require(pair.box.seal(.hello(Fixture.hello()), now: .zero))
        pair.toServer(hello)
        #expect(pair.serverEvents.count == 2)
        let again = try LinkPair()
        again.toServer(first)
        guard case .write? = again.serverEvents.first, again.serverEvents.count == 1 else {
            Issue.record("message 1 by itself is good at any time: \(again.serverEvents)")
            return
        }
        #expect(again.server.seal(.wantEntries, now: .zero) == nil)
        again.forget()
        again.toServer(hello)
        #expect(again.serverEvents == [.ended(.channelBroken)])
        // A message of the same channel does not count twice either.
        pair.forget()
        pair.toServer(hello)
        #expect(pair.serverEvents == [.ended(.channelBroken)])
    }

    @Test("The first message inside the channel is hello, and no other one is")
    func helloFirstAndOnce() throws {
        let pair = try greeted()
        pair.toServer(try #require(pair.shake()))
        pair.answer()
        pair.toServer(try #require(pair.box.seal(.leaving, now: .zero)))
        #expect(pair.serverEvents == [.ended(.protocolViolation)])
        let open = try LinkPair.open()
        open.toServer(try #require(open.box.seal(.hello(Fixture.hello()), now: .zero)))
        #expect(open.serverEvents == [.ended(.protocolViolation)])
        let closing = try greeted()
        closing.toServer(try #require(closing.shake()))
        closing.answer()
        closing.toServer(closing.box.close())
        #expect(closing.serverEvents == [.ended(.closedByPeer)])
    }

    @Test("A stranger with a key of their own is heard no further than hello, until the site has spoken")
    func strangers() throws {
        for message in [MessageToSite.took(number: 1), .leaving, .entries([try Fixture.revocation()]), .entriesEnd] {
            let pair = try LinkPair.proved()
            pair.toServer(try #require(pair.box.seal(message, now: .zero)))
            #expect(pair.serverEvents == [.ended(.protocolViolation)])
        }
        let refused = try LinkPair.proved()
        refused.toBox(try #require(refused.server.seal(.refused(.unknownBox), now: .zero)))
        #expect(refused.boxEvents == [.said(.refused(.unknownBox))])
        refused.toServer(try #require(refused.box.seal(.took(number: 1), now: .zero)))
        #expect(refused.serverEvents == [.ended(.protocolViolation)])
        // The server does not keep long messages of an unknown box either.
        let long = try LinkPair.proved()
        long.toServer([0x04, 0x01])
        #expect(long.serverEvents == [.ended(.wrongLength)])
        let closing = try LinkPair.proved()
        closing.toServer(closing.box.close())
        #expect(closing.serverEvents == [.ended(.closedByPeer)])
    }

    @Test("Entries are taken when they were asked for, and no more than a set has")
    func uploads() throws {
        let entry = try Fixture.revocation()
        for message in [MessageToSite.entries([entry]), .entriesEnd] {
            let pair = try LinkPair.open()
            pair.toServer(try #require(pair.box.seal(message, now: .zero)))
            #expect(pair.serverEvents == [.ended(.protocolViolation)])
        }
        let pair = try LinkPair.open()
        for _ in 0..<2 {
            pair.toBox(try #require(pair.server.seal(.wantEntries, now: .zero)))
            pair.forget()
            let full = MessageToSite.entries([ClaimedRevocation](repeating: entry, count: 64))
            for _ in 0..<RevocationSet.entryLimit / 64 {
                pair.toServer(try #require(pair.box.seal(full, now: .zero)))
            }
            pair.toServer(try #require(pair.box.seal(.entriesEnd, now: .zero)))
            #expect(pair.serverEvents.count == RevocationSet.entryLimit / 64 + 1)
            #expect(pair.serverEvents.last == .said(.entriesEnd))
        }
        pair.forget()
        pair.toServer(try #require(pair.box.seal(.entriesEnd, now: .zero)))
        #expect(pair.serverEvents == [.ended(.protocolViolation)])
        let greedy = try LinkPair.open()
        greedy.toBox(try #require(greedy.server.seal(.wantEntries, now: .zero)))
        let full = MessageToSite.entries([ClaimedRevocation](repeating: entry, count: 64))
        for _ in 0..<RevocationSet.entryLimit / 64 {
            greedy.toServer(try #require(greedy.box.seal(full, now: .zero)))
        }
        greedy.forget()
        greedy.toServer(try #require(greedy.box.seal(.entries([entry]), now: .zero)))
        #expect(greedy.serverEvents == [.ended(.protocolViolation)])
    }

    @Test("A server that says more than its greeting before it is asked is left")
    func talkativeServer() throws {
        let pair = try greeted()
        pair.toBox(pair.server.opening)
        #expect(pair.boxEvents == [.ended(.protocolViolation)])
        #expect(pair.shake() == nil)
    }

    @Test("Empty frames and frames over the limit end the link on each side, as soon as their length is there")
    func wrongFrames() throws {
        for head: [UInt8] in [[0, 0], [4, 1], [0xFF, 0xFF]] {
            let pair = try LinkPair()
            pair.toBox(head)
            pair.toServer(head)
            #expect(pair.boxEvents == [.ended(.wrongLength)] && pair.serverEvents == [.ended(.wrongLength)])
        }
        for head: [UInt8] in [[0, 0], [0x20, 1], [0xFF, 0xFF]] {
            let pair = try LinkPair.open()
            pair.toBox(head)
            pair.toServer(head)
            #expect(pair.boxEvents == [.ended(.wrongLength)] && pair.serverEvents == [.ended(.wrongLength)])
            #expect(pair.box.seal(.leaving, now: .zero) == nil && pair.server.seal(.wantEntries, now: .zero) == nil)
        }
        let open = try LinkPair.open()
        open.toBox([0x20, 0])
        open.toServer([0x20, 0])
        #expect(open.boxEvents == [] && open.serverEvents == [])
        // First messages of another kind or length are refused.
        for first in [[UInt8](repeating: 1, count: 96), [3] + [UInt8](repeating: 1, count: 96)] {
            let pair = try LinkPair()
            pair.toServer(SiteFrames.frame(first))
            #expect(pair.serverEvents == [.ended(.wrongLength)])
        }
    }

    @Test("A message that was changed ends the channel on each side; what came before it in the same read counts")
    func changedMessages() throws {
        let pair = try LinkPair.open()
        var (good, bad) = (
            try #require(pair.box.seal(.took(number: 1), now: .zero)),
            try #require(pair.box.seal(.took(number: 2), now: .zero))
        )
        bad[5] ^= 1
        pair.toServer(good + bad + [0, 0])
        #expect(pair.serverEvents == [.said(.took(number: 1)), .ended(.channelBroken)])
        #expect(pair.server.seal(.wantEntries, now: .zero) == nil)
        good = try #require(try LinkPair.open().server.seal(.wantEntries, now: .zero))
        pair.toBox(good)
        #expect(pair.boxEvents == [.ended(.channelBroken)])
        // A message that decrypts but is not valid ends the channel as well.
        let odd = try LinkPair.open()
        odd.toServer(try #require(odd.box.seal(.entries([]), now: .zero)))
        #expect(odd.serverEvents == [.ended(.protocolViolation)])
        odd.toBox(try #require(try LinkPair.open().server.seal(.entries([]), now: .zero)))
        #expect(odd.boxEvents == [.ended(.channelBroken)])
    }
}
