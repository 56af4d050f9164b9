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
            from: Fixture.x25519(21), to: keys.siteKey.publicKey)
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
        #expect(other.siteKey.publicKey != keys.siteKey.publicKey)
        #expect(other.open(bytes, site: Fixture.site, boxKey: Fixture.box, channel: channel) == nil)
    }

    @Test("Two servers of a site have one key, which is none of theirs")
    func oneKey() throws {
        let (one, other) = (
            try SiteServerKeys(staticKey: X25519KeyPair(), siteSecret: Fixture.secret(41)), try Fixture.serverKeys()
        )
        #expect(one.siteKey.publicKey == other.siteKey.publicKey)
        #expect(one.publicKey != other.publicKey && one.siteKey.publicKey != one.publicKey)
    }
}
