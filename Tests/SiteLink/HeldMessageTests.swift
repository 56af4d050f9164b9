import Secrets
import SecureChannel
import SiteTrust
import Testing

@testable import SiteLink

@Suite("What a box carries between a phone and its site")
struct HeldMessageTests {
    private typealias Fixture = LinkFixture
    private let channel = [UInt8](repeating: 7, count: 32)

    private func secret(_ fill: UInt8, _ count: Int = 32) -> HeldSecret {
        HeldSecret(SecretBytes(copying: [UInt8](repeating: fill, count: count)))
    }

    private func sealed(
        _ action: HeldRequest.Action? = nil, for keys: SiteServerKeys, box: [UInt8] = LinkFixture.box
    ) throws -> [UInt8] {
        let content = try wanted(HeldRequest(counter: 9, action: action ?? .open(pinKey: secret(1))).encoded())
        return try OneWayMessage<XChaChaPoly>.seal(
            content, prologue: HeldRequest.prologue(site: Fixture.site, boxKey: box, channel: channel),
            from: Fixture.x25519(21), to: keys.sitePublicKey)
    }

    @Test("A carried request is read back, and has one of four lengths")
    func carried() throws {
        let keys = try Fixture.serverKeys()
        for action in [
            HeldRequest.Action.tries, .open(pinKey: secret(1)), .changePIN(old: secret(1), new: secret(2)),
            .store(pinKey: secret(1), credential: secret(5, 9)),
        ] {
            let bytes = try sealed(action, for: keys)
            let request = try #require(CarriedRequest(number: .max, channel: channel, sealed: bytes))
            #expect(try MessageToSite(parsing: MessageToSite.ask(request).bytes) == .ask(request))
            #expect(throws: SiteLinkError.protocolViolation) {
                try MessageToSite(parsing: MessageToSite.ask(request).bytes + [0])
            }
        }
        #expect(CarriedRequest(number: 1, channel: channel, sealed: [UInt8](repeating: 0, count: 107)) == nil)
        #expect(CarriedRequest(number: 1, channel: [], sealed: try sealed(for: keys)) == nil)
        #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: [9]) }
    }

    @Test("The site opens it for the box that carries it, on the channel on which it was made")
    func opens() throws {
        let keys = try Fixture.serverKeys()
        let bytes = try sealed(for: keys)
        let opened = try #require(keys.open(bytes, site: Fixture.site, boxKey: Fixture.box, channel: channel))
        #expect(opened.phoneKey == Fixture.x25519(21).publicKey && opened.request.counter == 9)
    }

    @Test("For another box, another channel, another site, or by another secret it is nothing")
    func elsewhere() throws {
        let keys = try Fixture.serverKeys()
        let bytes = try sealed(for: keys)
        #expect(keys.open(bytes, site: Fixture.site, boxKey: Fixture.server, channel: channel) == nil)
        #expect(
            keys.open(bytes, site: Fixture.site, boxKey: Fixture.box, channel: [UInt8](repeating: 8, count: 32)) == nil)
        #expect(
            keys.open(
                bytes, site: SiteID(firstRoot: Fixture.ed25519(99).publicKey), boxKey: Fixture.box, channel: channel)
                == nil)
        let other = try Fixture.serverKeys(siteSecret: 42)
        #expect(other.sitePublicKey != keys.siteKey.publicKey)
        #expect(other.open(bytes, site: Fixture.site, boxKey: Fixture.box, channel: channel) == nil)
    }

    @Test("Each answer is read back, and a password travels with one length")
    func answers() throws {
        for outcome in [
            HeldAnswer.Outcome.done(triesLeft: 10), .opened(OpenedCredential(secret(0x61, 511)), triesLeft: 1),
            .opened(OpenedCredential(secret(0x61, 1)), triesLeft: 10), .pinWrong(triesLeft: 9), .wiped,
            .lockedOut(seconds: 3_600), .noCredential, .refused, .notNow,
        ] {
            let message = MessageFromSite.held(HeldAnswer(number: 0x0102_0304, outcome: outcome))
            let content = try wanted(message.encoded())
            #expect(try MessageFromSite(opened: content) == message)
            if case .opened = outcome { #expect(content.count == 1 + HeldAnswer.openedBytes) }
            let bytes = content.withBytes { [UInt8](copying: $0) }
            for changed in [bytes + [0], [UInt8](bytes.dropLast())] {
                #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: changed) }
            }
        }
        let impossible = MessageFromSite.held(
            HeldAnswer(number: 1, outcome: .opened(OpenedCredential(secret(0, 5)), triesLeft: 1)))
        let isThere = impossible.encoded() != nil
        #expect(!isThere)
    }

    @Test("An answer with a number of tries or seconds that there cannot be is refused")
    func bounds() {
        for bytes: [UInt8] in [
            [11, 0, 0, 0, 1, 0, 0], [11, 0, 0, 0, 1, 2, 11], [11, 0, 0, 0, 1, 4, 0, 0, 0, 0], [11, 0, 0, 0, 1, 8],
            [11, 0, 0, 0, 1],
        ] {
            #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: bytes) }
        }
    }

    @Test("Two servers of a site have one key, which is none of theirs")
    func oneKey() throws {
        let (one, other) = (
            try SiteServerKeys(staticKey: X25519KeyPair(), siteSecret: Fixture.secret(41)), try Fixture.serverKeys()
        )
        #expect(one.sitePublicKey == other.siteKey.publicKey)
        #expect(one.publicKey != other.publicKey && one.sitePublicKey != one.publicKey)
    }
}
