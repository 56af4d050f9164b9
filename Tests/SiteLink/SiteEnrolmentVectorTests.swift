import PhoneMessages
import Secrets
import SecureChannel
import TestVectors
import Testing

@testable import SiteLink

/// One enrolment at a site, made by Tests/Vectors/generate_site.py with another library.
@Suite("Vectors of an enrolment that a box carries")
struct SiteEnrolmentVectorTests {
    private typealias Fixture = LinkFixture

    private func vector(_ name: String, _ field: String) throws -> [UInt8] {
        try #require(try VectorFile("site.txt").cases.first { $0.name == name }, "no case \(name)").bytes(field)
    }

    private func key(_ name: String) throws -> X25519KeyPair {
        try X25519KeyPair(privateKey: SecretBytes(copying: vector("keys of an enrolment", name)))
    }

    @Test("The site's key, the code and its secret follow from the site's secret")
    func code() throws {
        let keys = try SiteServerKeys(
            staticKey: X25519KeyPair(),
            siteSecret: SecretBytes(copying: vector("enrolment code, in ASCII", "site_secret")))
        #expect(try keys.sitePublicKey == vector("enrolment code, in ASCII", "site_public"))
        let text = try vector("enrolment code, in ASCII", "bytes")
        let code = try SiteEnrolmentCode(parsing: SecretBytes(copying: text))
        let formatted = code.format().withBytes { [UInt8](copying: $0) }
        #expect(formatted == text)
        let secret = try keys.enrolmentSecret(codeID: code.codeID)
        let hasSecret = code.secret.isEqual(to: secret)
        #expect(hasSecret)
        let (siteKey, site) = (code.siteKey, code.site)
        #expect(siteKey == keys.sitePublicKey && site == Fixture.site.bytes)
    }

    @Test("Every message is the same, byte for byte, and so are the digits")
    func conversation() throws {
        func said(_ field: String) throws -> [UInt8] { try vector("an enrolment", field) }
        let codeID = try vector("enrolment code, in ASCII", "code_id")
        let psk = SecretBytes(copying: try vector("enrolment code, in ASCII", "secret"))
        let site = try X25519KeyPair(
            privateKey: SecretBytes(copying: vector("enrolment code, in ASCII", "site_private")))
        let prologue = SiteEnrolmentCode.prologue(site: Fixture.site.bytes, codeID: codeID)
        #expect(try prologue == said("prologue"))
        let first = try InitiatorStart<XChaChaPoly>(
            prologue: prologue, staticKey: key("phone_private"), remoteStatic: site.publicKey, psk: psk
        ).writeMessage1(ephemeral: key("phone_ephemeral"))
        let message1 = first.message
        #expect(try FirstMessage.enrol(codeID: codeID, message1: message1).bytes == said("first_message"))
        let reply = try ResponderStart<XChaChaPoly>(prologue: prologue, staticKey: site, psk: psk).readMessage1(
            message1
        )
        .writeMessage2(ephemeral: key("site_ephemeral"), now: .zero)
        let message2 = reply.message
        #expect(try message2 == said("message_2"))
        var phone = try first.next.readMessage2(message2, now: .zero)
        var atSite = reply.transport
        let hash = phone.handshakeHash
        #expect(try hash == said("handshake_hash"))
        let (one, two) = (try said("phone_nonce"), try said("site_nonce"))
        let commitment = EnrolmentCommitment.of(nonce: one, handshakeHash: hash)
        #expect(try commitment == said("commitment"))
        #expect(
            try EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: one, boxNonce: two)
                == said("six_digits_in_ascii"))
        let wish = EnrolRequest(label: Array("Ana's phone".utf8), commitment: commitment)
        let asked: [(String, UInt32, PhoneRequest)] = [
            ("hello", 1, .hello(versions: [2], capabilities: [])), ("enrol", 2, .enrol(wish)),
            ("reveal", 3, .reveal(nonce: one)),
        ]
        for (field, number, request) in asked {
            let plain = try PhoneRequestMessage(id: id(number), request: request).encoded()
            let sealed = try phone.seal(plain, now: .zero)
            #expect(try sealed == said(field), "\(field)")
        }
        let answers: [(String, BoxMessage)] = [
            ("site_hello", .hello(try id(1), version: 2, capabilities: .siteEnrolment)),
            ("enrol_nonce", .enrolNonce(try id(2), two)), ("enrol_pending", .enrolPending(try id(3))),
            ("site_document", .siteDocument(try id(3), try vector("site document", "bytes"))),
            ("site_enrolled", .siteEnrolled(try id(3), try vector("grant", "bytes"))),
        ]
        for (field, answer) in answers {
            let sealed = try atSite.seal(answer.encoded(), now: .zero)
            #expect(try sealed == said(field), "\(field)")
        }
        let close = try atSite.sealClose()
        #expect(try close == said("close"))
    }

    private func id(_ number: UInt32) throws -> RequestID { try #require(RequestID(rawValue: number)) }

    @Test("What box and server say of it is the same, byte for byte")
    func carried() throws {
        let number = try #require(CarryNumber(rawValue: 7))
        let first = try #require(CarriedMessage(carry: number, message: vector("an enrolment", "first_message")))
        let second = try #require(CarriedMessage(carry: number, message: vector("an enrolment", "message_2")))
        for (name, message) in [("carry", MessageToSite.carry(first)), ("end carry", .endCarry(number))] {
            #expect(try message.bytes == vector("to a site: \(name)", "bytes"))
            #expect(try MessageToSite(parsing: message.bytes) == message)
        }
        for (name, message) in [("carried", MessageFromSite.carried(second)), ("carry ended", .carryEnded(number))] {
            #expect(try message.bytes == vector("from a site: \(name)", "bytes"))
            #expect(try MessageFromSite(parsing: message.bytes) == message)
        }
    }
}
