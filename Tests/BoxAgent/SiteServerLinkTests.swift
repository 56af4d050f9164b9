import AgentCore
import EventLoop
import Secrets
import SecureChannel
import SiteLink
import SiteTrust
import TCP
import Testing

@testable import BoxAgent

/// Tests the shell of a link over TCP against the protocol's own server end.
@Suite("A link to a server of the site, over TCP")
struct SiteServerLinkTests {
    private static func ed25519(_ fill: UInt8) throws -> Ed25519KeyPair {
        try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: fill, count: 32)))
    }

    private static func greeting(_ serverKey: [UInt8]) throws -> SiteGreeting {
        let root = try ed25519(1)
        let servers = try ed25519(14)
        let one = try #require(SiteOrdinal(root: 1, count: 1))
        let issuer = try #require(SiteIssuer(role: .servers, key: servers.publicKey, expiry: 2_000_000_000))
        let site = SiteID(firstRoot: root.publicKey)
        let document = try SiteDocument.sign(
            SiteDocumentFacts(
                site: site, version: one, generation: one, rootKey: root.publicKey,
                nextRootHash: SHA256.hash([2]), issuers: [issuer]), root: root)
        let certificate = try SiteServerCertificate.issue(
            serverKey: serverKey, expiry: 1_900_000_000, site: site, issuer: servers)
        return try SiteGreeting(certificate: certificate, document: document)
    }

    private static func serverKeys() throws -> SiteServerKeys {
        try SiteServerKeys(
            staticKey: X25519KeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: 30, count: 32))),
            siteSecret: SecretBytes(copying: [UInt8](repeating: 31, count: 32)))
    }

    private static func boxKeys() throws -> BoxKeys {
        try BoxKeys(
            staticKey: X25519KeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: 22, count: 32))),
            authority: try ed25519(5), boxID: Array("4711".utf8), serial: 1)
    }

    /// The events that the box received, in order.
    private final class Heard: Sendable {
        /// SAFETY: only the loop changes it, and links report on the loop.
        nonisolated(unsafe) var events: [SiteLinkEvent] = []
        let changed: WaitPoint

        init(_ loop: EpollLoop) { changed = WaitPoint(on: loop) }

        func add(_ event: SiteLinkEvent) {
            events.append(event)
            changed.signal()
        }

        var names: [String] { events.map { "\($0)".prefix { $0 != "(" }.description } }

        func wait(for count: Int, on loop: EpollLoop) async {
            while events.count < count {
                let mark = changed.mark()
                guard events.count < count,
                    await changed.wait(since: mark, until: loop.now() + .seconds(20)) == .signalled
                else { return }
            }
        }
    }

    /// Serves one connection until it ends. Returns the box's messages and the reason of the end.
    private static func serve(
        _ connection: TCPConnection, _ keys: SiteServerKeys, saying messages: [MessageFromSite], on loop: EpollLoop
    ) async -> (proved: [[UInt8]?], said: [MessageToSite], end: SiteLinkError?) {
        var outcome: (proved: [[UInt8]?], said: [MessageToSite], end: SiteLinkError?) = ([], [], nil)
        guard let greeting = try? greeting(keys.publicKey) else { return outcome }
        let end = SiteServerEnd(keys, greeting: greeting, now: loop.now())
        _ = connection.send(end.opening)
        while outcome.end == nil, let bytes = try? await connection.receive(upTo: 4_096), !bytes.isEmpty {
            for event in end.receive(bytes, now: loop.now()) {
                switch event {
                case .write(let bytes): _ = connection.send(bytes)
                case .proved(_, let codeID): outcome.proved.append(codeID)
                case .said(let message):
                    outcome.said.append(message)
                    guard case .hello = message else { continue }
                    for message in messages { _ = end.seal(message, now: loop.now()).map { connection.send($0) } }
                case .ended(let error): outcome.end = error
                }
            }
        }
        connection.close()
        return outcome
    }

    private static func listener(on loop: EpollLoop) throws -> (TCPListener, SiteAddress) {
        let listener = try TCPListener(on: try #require(TCPAddress(host: "127.0.0.1", port: 0)), loop: loop)
        return (listener, try #require(SiteAddress(Array(listener.address.text.utf8))))
    }

    private static func hello() throws -> SiteHello {
        let one = try #require(SiteOrdinal(root: 1, count: 1))
        return try SiteHello(document: one, generation: one, number: 0, time: 0, program: Array("boxagentd 0.1.0".utf8))
    }

    @Test("Greeting, handshake, what both say in order, and an end in order", arguments: [false, true])
    func wholeLink(joins: Bool) async throws {
        let (names, outcome) = try await EpollLoop.withThread { loop in
            let (keys, heard) = (try Self.serverKeys(), Heard(loop))
            let (listener, address) = try Self.listener(on: loop)
            defer { listener.close() }
            let serving = loop.spawn { () -> (proved: [[UInt8]?], said: [MessageToSite], end: SiteLinkError?) in
                guard let connection = try? await listener.accept() else { return ([], [], nil) }
                return await Self.serve(connection, keys, saying: [.wantEntries, .wantEntries], on: loop)
            }
            let link = SiteServerLink(keys: try Self.boxKeys(), loop: loop) { heard.add($0) }
            link.perform(.connect(address))
            await heard.wait(for: 1, on: loop)
            let codeID = [UInt8](repeating: 8, count: 8)
            if joins {
                let secret = HeldSecret(try keys.joinSecret(codeID: codeID))
                link.perform(.join(serverKey: keys.publicKey, codeID: codeID, secret))
            } else {
                link.perform(.shake(serverKey: keys.publicKey))
            }
            await heard.wait(for: 2, on: loop)
            // After its hello, a box sends nothing until the site has answered.
            link.perform(.say([.hello(try Self.hello())]))
            await heard.wait(for: 4, on: loop)
            link.perform(.say([.differs(number: 7), .leaving]))
            link.perform(.close)
            return (heard.names, await serving.value)
        }
        #expect(names == ["greeted", "established", "said", "said"])
        #expect(outcome.proved == [joins ? [UInt8](repeating: 8, count: 8) : nil])
        #expect(outcome.said.count == 3 && outcome.said[1] == .differs(number: 7) && outcome.said[2] == .leaving)
        #expect(outcome.end == .closedByPeer)
    }

    @Test("Nobody who listens, and a server that hangs up, are told once, with why")
    func failures() async throws {
        let (refused, dropped) = try await EpollLoop.withThread { loop in
            let (first, second) = (Heard(loop), Heard(loop))
            let (listener, address) = try Self.listener(on: loop)
            let keys = try Self.boxKeys()
            let accepting = loop.spawn { try? await listener.accept().close() }
            let link = SiteServerLink(keys: keys, loop: loop) { second.add($0) }
            link.perform(.connect(address))
            await second.wait(for: 1, on: loop)
            await accepting.value
            listener.close()
            let other = SiteServerLink(keys: keys, loop: loop) { first.add($0) }
            other.perform(.connect(address))
            await first.wait(for: 1, on: loop)
            return (first.events, second.events)
        }
        guard case .ended(.noConnection(let why), _)? = refused.first, case .ended(.dropped, _)? = dropped.first else {
            Issue.record("\(refused), \(dropped)")
            return
        }
        #expect(refused.count == 1 && dropped.count == 1)
        #expect(why.contains("no program listens on 127.0.0.1:"))
    }

    @Test("A link that is closed tells nothing more, whatever the server still says")
    func closed() async throws {
        let names = try await EpollLoop.withThread { loop in
            let (keys, heard) = (try Self.serverKeys(), Heard(loop))
            let (listener, address) = try Self.listener(on: loop)
            defer { listener.close() }
            let serving = loop.spawn {
                guard let connection = try? await listener.accept() else { return }
                _ = await Self.serve(connection, keys, saying: [], on: loop)
            }
            let link = SiteServerLink(keys: try Self.boxKeys(), loop: loop) { heard.add($0) }
            link.perform(.connect(address))
            await heard.wait(for: 1, on: loop)
            link.perform(.close)
            await serving.value
            return heard.names
        }
        #expect(names == ["greeted"])
    }
}
