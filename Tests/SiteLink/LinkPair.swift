import Secrets
import SiteTrust
import TestSupport
import Testing

@testable import SiteLink

/// Both ends of one link, and a wire between them that can cut messages anywhere.
final class LinkPair {
    private typealias Fixture = LinkFixture

    let box: SiteBoxEnd
    let server: SiteServerEnd
    /// The events of both ends.
    private(set) var boxEvents: [SiteBoxEvent] = []
    private(set) var serverEvents: [SiteServerEvent] = []
    private var generator: SeededGenerator?

    init(seed: UInt64? = nil, now: Duration = .zero, siteSecret: UInt8 = 41) throws {
        box = SiteBoxEnd(now: now)
        server = try SiteServerEnd(Fixture.serverKeys(siteSecret: siteSecret), greeting: Fixture.greeting(), now: now)
        generator = seed.map { SeededGenerator(seed: $0) }
    }

    /// Returns a link on which the box has said hello and the site has answered with a signed status.
    static func open(now: Duration = .zero) throws -> LinkPair {
        let pair = try LinkPair.proved(now: now)
        pair.toBox(try #require(pair.server.seal(.head(Fixture.head()), now: now)), now: now)
        pair.forget()
        return pair
    }

    /// Returns a link on which the box has said hello.
    static func proved(now: Duration = .zero) throws -> LinkPair {
        let pair = try LinkPair(now: now)
        pair.toBox(pair.server.opening, now: now)
        pair.toServer(try #require(pair.shake()), now: now)
        pair.answer(now: now)
        pair.toServer(try #require(pair.box.seal(.hello(Fixture.hello()), now: now)), now: now)
        pair.forget()
        return pair
    }

    /// Returns the first message of a box that trusts `serverKey`, or nil if the box's end refuses.
    func shake(_ serverKey: [UInt8] = LinkFixture.server) -> [UInt8]? {
        box.shake(serverKey: serverKey, staticKey: Fixture.x25519(22))
    }

    /// Returns the first message of a box that joins.
    func join(_ codeID: [UInt8] = LinkFixture.codeID, secret: borrowing SecretBytes) -> [UInt8]? {
        box.join(serverKey: Fixture.server, staticKey: Fixture.x25519(22), codeID: codeID, secret: secret)
    }

    func toBox(_ bytes: [UInt8], now: Duration = .zero) {
        for piece in pieces(bytes) { boxEvents += box.receive(piece, now: now) }
    }

    func toServer(_ bytes: [UInt8], now: Duration = .zero) {
        for piece in pieces(bytes) { serverEvents += server.receive(piece, now: now) }
    }

    /// Delivers the server's pending bytes to the box.
    func answer(now: Duration = .zero) {
        for case .write(let bytes) in serverEvents { toBox(bytes, now: now) }
        serverEvents.removeAll { if case .write = $0 { true } else { false } }
    }

    /// Clears the events of both ends.
    func forget() {
        boxEvents = []
        serverEvents = []
    }

    private func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        guard var generator else { return [bytes] }
        defer { self.generator = generator }
        return Fixture.cut(bytes, &generator)
    }
}
