import PhoneMessages
import Secrets
import SecureChannel
import SiteTrust
import Testing

@testable import SiteLink

/// A phone with fixed keys at the other end of an enrolment's channel, like an independent implementation.
final class CarriedPhone {
    private let key = LinkFixture.x25519(21)
    private var waiting: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    private(set) var handshakeHash: [UInt8] = []

    var publicKey: [UInt8] { key.publicKey }

    func first(
        _ keys: SiteServerKeys, codeID: [UInt8] = LinkFixture.codeID, secret: borrowing SecretBytes,
        site: [UInt8] = LinkFixture.site.bytes, siteKey: [UInt8]? = nil
    ) throws -> [UInt8] {
        let start = try InitiatorStart<XChaChaPoly>(
            prologue: SiteEnrolmentCode.prologue(site: site, codeID: codeID), staticKey: key,
            remoteStatic: siteKey ?? keys.sitePublicKey, psk: secret)
        let step = try start.writeMessage1()
        let message = step.message
        keep(step.next)
        return FirstMessage.enrol(codeID: codeID, message1: message).bytes
    }

    private func keep(_ next: consuming InitiatorAwaitingReply<XChaChaPoly>) { waiting = consume next }

    func take(_ message2: [UInt8]) throws {
        guard let opened = try waiting.take()?.readMessage2(message2, now: .zero) else {
            throw SiteLinkError.handshakeFailed
        }
        handshakeHash = opened.handshakeHash
        transport = consume opened
    }

    func seal(_ id: UInt32, _ request: PhoneRequest) throws -> [UInt8] {
        let plain = try PhoneRequestMessage(id: #require(RequestID(rawValue: id)), request: request).encoded()
        return try #require(try transport?.seal(plain, now: .zero))
    }

    func open(_ message: [UInt8]) throws -> BoxMessage {
        guard let plain = try transport?.open(message, now: .zero) else { throw SiteLinkError.channelBroken }
        return try plain.withBytes { try BoxMessage.decode($0) }
    }

    func close() throws -> [UInt8] { try #require(try transport?.sealClose()) }
}

@Suite("The site's end of an enrolment that a box carries")
struct SiteEnrolmentEndTests {
    private typealias Fixture = LinkFixture
    private static let hello = PhoneRequest.hello(versions: [2], capabilities: [])

    private func pair() throws -> (phone: CarriedPhone, end: SiteEnrolmentEnd, keys: SiteServerKeys) {
        let keys = try Fixture.serverKeys()
        return (CarriedPhone(), SiteEnrolmentEnd(keys, site: Fixture.site.bytes), keys)
    }

    /// Returns a channel after the handshake, before any message.
    private func shaken() throws -> (phone: CarriedPhone, end: SiteEnrolmentEnd) {
        let (phone, end, keys) = try pair()
        let secret = try keys.enrolmentSecret(codeID: Fixture.codeID)
        let events = end.receive(try phone.first(keys, secret: secret), now: .zero)
        guard case .write(let reply)? = events.first, events.count == 1 else { throw SiteLinkError.handshakeFailed }
        try phone.take(reply)
        return (phone, end)
    }

    @Test("A phone is told of once its first message decrypts, with its key, the code and this handshake's hash")
    func proved() throws {
        let (phone, end) = try shaken()
        let events = end.receive(try phone.seal(1, Self.hello), now: .zero)
        let proved = SiteEnrolmentEvent.proved(
            phoneKey: phone.publicKey, codeID: Fixture.codeID, handshakeHash: phone.handshakeHash)
        #expect(events == [proved, .said(.hello(.first, versions: [2]))])
        let nonce = [UInt8](repeating: 9, count: 32)
        let sealed = try #require(end.seal(.enrolNonce(.first, nonce), now: .zero))
        #expect(try phone.open(sealed) == .enrolNonce(.first, nonce))
    }

    @Test("Message 1 that is played again proves nothing: its phone is told of only when it has said more")
    func replayed() throws {
        let (phone, end, keys) = try pair()
        let first = try phone.first(keys, secret: try keys.enrolmentSecret(codeID: Fixture.codeID))
        let again = SiteEnrolmentEnd(keys, site: Fixture.site.bytes)
        for each in [end, again] {
            let events = each.receive(first, now: .zero)
            guard case .write? = events.first, events.count == 1 else { return #expect(Bool(false), "no message 2") }
        }
        // An attacker at the box can only repeat carried messages, and a second message 1 ends the channel.
        #expect(again.receive(first, now: .zero) == [.ended])
    }

    @Test("Nothing is answered without the code's secret, to another site's code, or to another key")
    func refused() throws {
        for wrong in 0..<4 {
            let (phone, end, keys) = try pair()
            let other = try Fixture.serverKeys(siteSecret: 42)
            let secret = try (wrong == 0 ? other : keys).enrolmentSecret(codeID: Fixture.codeID)
            let first = try phone.first(
                keys, codeID: wrong == 3 ? [UInt8](repeating: 1, count: 8) : Fixture.codeID, secret: secret,
                site: wrong == 1 ? [UInt8](repeating: 7, count: 16) : Fixture.site.bytes,
                siteKey: wrong == 2 ? other.sitePublicKey : nil)
            #expect(end.receive(first, now: .zero) == [.ended], "case \(wrong)")
            #expect(end.seal(.enrolPending(.first), now: .zero) == nil)
        }
    }

    @Test("Whatever a box drops, repeats, reorders or changes ends the channel, and says nothing of the phone")
    func meddled() throws {
        for meddle in 0..<5 {
            let (phone, end) = try shaken()
            let (one, two) = (try phone.seal(1, Self.hello), try phone.seal(2, .enrolment))
            var messages: [[UInt8]]
            switch meddle {
            case 0: messages = [two]
            case 1: messages = [one, one]
            case 2: messages = [one, [UInt8](two.dropLast()) + [two[two.count - 1] ^ 1]]
            case 3: messages = [one, try shaken().phone.seal(1, Self.hello)]
            default: messages = [one, [0]]
            }
            let last = messages.removeLast()
            for message in messages { #expect(!end.receive(message, now: .zero).contains(.ended)) }
            #expect(end.receive(last, now: .zero) == [.ended], "meddling \(meddle)")
            // The site's end ignores all later messages.
            #expect(end.receive(two, now: .zero) == [])
        }
    }

    @Test("A request that is no enrolment's ends it, and so does one message too many")
    func bounded() throws {
        let (phone, end) = try shaken()
        _ = end.receive(try phone.seal(1, Self.hello), now: .zero)
        #expect(end.receive(try phone.seal(2, .status), now: .zero) == [.ended])
        let (other, long) = try shaken()
        _ = long.receive(try other.seal(1, Self.hello), now: .zero)
        for id in UInt32(3)...SiteEnrolmentEnd.limit { _ = long.receive(try other.seal(id, .enrolment), now: .zero) }
        #expect(long.receive(try other.seal(99, .enrolment), now: .zero) == [.ended])
    }

    @Test("Both sides can close in order")
    func closed() throws {
        let (phone, end) = try shaken()
        _ = end.receive(try phone.seal(1, Self.hello), now: .zero)
        #expect(end.receive(try phone.close(), now: .zero) == [.ended])
        let (_, other) = try shaken()
        #expect(other.close() == nil, "nothing was proved yet")
    }

    @Test("A code comes out as it went in, and no damaged one does")
    func code() throws {
        let keys = try Fixture.serverKeys()
        let root = Fixture.ed25519(1).publicKey
        guard
            let code = SiteEnrolmentCode(
                rootKey: root, siteKey: keys.sitePublicKey, codeID: Fixture.codeID,
                secret: try keys.enrolmentSecret(codeID: Fixture.codeID), site: Fixture.site.bytes)
        else { throw SiteLinkError.wrongLength }
        let text = code.format().withBytes { [UInt8](copying: $0) }
        #expect(text.count == SiteEnrolmentCode.byteCount && text.starts(with: Array("boxsite-enrol:1/".utf8)))
        let read = try SiteEnrolmentCode(parsing: SecretBytes(copying: Array(" ".utf8) + text + Array("\n".utf8)))
        let (rootKey, siteKey, codeID, site) = (read.rootKey, read.siteKey, read.codeID, read.site)
        #expect(rootKey == root && siteKey == keys.sitePublicKey && codeID == Fixture.codeID)
        let isSame = read.secret.isEqual(to: code.secret)
        #expect(site == Fixture.site.bytes && isSame)
        for (bytes, error) in [
            (Array(text.dropLast()), SiteEnrolmentCodeError.damaged), (text + Array("A".utf8), .damaged),
            (Array("boxsite-enrol:2/".utf8) + text.dropFirst(16), .unknownVersion),
            (Array("boxsite:1/AA".utf8), .notACode),
        ] {
            #expect(throws: error) { _ = try SiteEnrolmentCode(parsing: SecretBytes(copying: bytes)) }
        }
    }

    @Test("Secrets of codes, join codes and the site's key have nothing in common")
    func separated() throws {
        let keys = try Fixture.serverKeys()
        let enrol = try keys.enrolmentSecret(codeID: Fixture.codeID)
        let join = try keys.joinSecret(codeID: Fixture.codeID)
        let other = try keys.enrolmentSecret(codeID: [UInt8](repeating: 0, count: 8))
        let (isJoin, isOther) = (enrol.isEqual(to: join), enrol.isEqual(to: other))
        #expect(!isJoin && !isOther)
        #expect(keys.sitePublicKey != keys.publicKey)
        #expect(try keys.sitePublicKey == Fixture.serverKeys().sitePublicKey)
        #expect(try keys.sitePublicKey != Fixture.serverKeys(siteSecret: 42).sitePublicKey)
    }
}

extension SiteEnrolmentEnd {
    /// The message limit, as a request's id.
    fileprivate static var limit: UInt32 { UInt32(messageLimit) }
}
