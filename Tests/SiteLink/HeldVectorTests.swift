import Secrets
import SecureChannel
import SiteTrust
import TestVectors
import Testing

@testable import SiteLink

/// One request about a site-held credential, made by Tests/Vectors/generate_site.py with another library.
@Suite("Vectors of a credential that the site holds")
struct HeldVectorTests {
    private typealias Fixture = LinkFixture

    private func vector(_ name: String, _ field: String = "bytes") throws -> [UInt8] {
        try #require(try VectorFile("site.txt").cases.first { $0.name == name }, "no case \(name)").bytes(field)
    }

    private func request(_ field: String) throws -> [UInt8] { try vector("a held request", field) }

    private func secret(_ field: String) throws -> SecretBytes { SecretBytes(copying: try request(field)) }

    private func serverKeys() throws -> SiteServerKeys {
        try SiteServerKeys(
            staticKey: X25519KeyPair(),
            siteSecret: SecretBytes(copying: vector("enrolment code, in ASCII", "site_secret")))
    }

    @Test("The root's statement of the site's key is the same, byte for byte")
    func statement() throws {
        let root = try Ed25519KeyPair(seed: SecretBytes(copying: vector("root", "seed")))
        let number = try #require(SiteOrdinal(root: 1, count: 1))
        let made = try SiteKeyStatement.sign(
            key: serverKeys().sitePublicKey, number: number, site: Fixture.site, root: root)
        #expect(try made.bytes == vector("site key statement"))
    }

    @Test("The PIN key and the salt of its hash are the same")
    func pinKey() throws {
        let phone = try X25519KeyPair(privateKey: secret("phone_private"))
        #expect(try HeldPINKey.salt(site: Fixture.site, phoneKey: phone.publicKey) == request("pin_salt"))
        let made = try HeldPINKey.derive(pinHash: secret("pin_hash"), deviceSecret: secret("device_secret"))
        let isSame = made.isEqual(to: try secret("pin_key"))
        #expect(isSame)
        let wrapping = try serverKeys().wrappingKey(
            salt: vector("wrapping key of a credential", "salt"), phoneKey: phone.publicKey, pinKey: made)
        let wraps = wrapping.isEqual(to: SecretBytes(copying: try vector("wrapping key of a credential")))
        #expect(wraps)
    }

    @Test("What a phone seals is the same, and the site opens it")
    func sealed() throws {
        let (box, channel) = (try request("box_key"), try request("channel"))
        let prologue = HeldRequest.prologue(site: Fixture.site, boxKey: box, channel: channel)
        #expect(try prologue == request("prologue"))
        let made = HeldRequest(
            counter: 1_800_000_000, action: .open(pinKey: HeldSecret(try secret("pin_key"))))
        let content = try wanted(made.encoded())
        let isSame = content.isEqual(to: try secret("request"))
        #expect(isSame)
        let phone = try X25519KeyPair(privateKey: secret("phone_private"))
        let sealed = try OneWayMessage<XChaChaPoly>.seal(
            content, prologue: prologue, from: phone, to: serverKeys().sitePublicKey,
            ephemeral: X25519KeyPair(privateKey: secret("phone_ephemeral")))
        #expect(try sealed == request("bytes"))
        let opened = try #require(serverKeys().open(sealed, site: Fixture.site, boxKey: box, channel: channel))
        #expect(opened.phoneKey == phone.publicKey && opened.request.counter == 1_800_000_000)
        let carried = try #require(CarriedRequest(number: 7, channel: channel, sealed: sealed))
        #expect(try MessageToSite.ask(carried).bytes == vector("to a site: ask"))
    }

    @Test("What the site answers is the same")
    func answered() throws {
        let credential = OpenedCredential(HeldSecret(SecretBytes(copying: Array("correct horse".utf8))))
        for (name, outcome) in [
            ("opened", HeldAnswer.Outcome.opened(credential, triesLeft: 10)), ("wrong PIN", .pinWrong(triesLeft: 9)),
        ] {
            let content = try wanted(MessageFromSite.held(HeldAnswer(number: 7, outcome: outcome)).encoded())
            let isSame = content.isEqual(to: SecretBytes(copying: try vector("from a site: held, " + name)))
            #expect(isSame, "\(name)")
        }
    }
}
