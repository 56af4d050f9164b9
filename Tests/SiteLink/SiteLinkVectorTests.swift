import Secrets
import SecureChannel
import SiteTrust
import TestVectors
import Testing

@testable import SiteLink

@Suite("Vectors of Tests/Vectors/site.txt for what boxes and servers say, made with another library")
struct SiteLinkVectorTests {
    private typealias Fixture = LinkFixture

    private func vector(_ name: String, _ field: String = "bytes") throws -> [UInt8] {
        try #require(try VectorFile("site.txt").cases.first { $0.name == name }, "no case \(name)").bytes(field)
    }

    @Test("The greeting and both prologues are the same, byte for byte")
    func greeting() throws {
        let greeting = try vector("greeting")
        #expect(try Fixture.greeting().bytes == greeting)
        #expect(try SitePrologue.bytes(greeting: greeting, codeID: nil) == vector("prologue of a link"))
        #expect(try SitePrologue.bytes(greeting: greeting, codeID: Fixture.codeID) == vector("prologue of joining"))
    }

    @Test("Messages to a site are the same, byte for byte")
    func messagesToSite() throws {
        let entries = try ["a phone", "a user", "a box"].map {
            try ClaimedRevocation(parsing: vector("revocation of \($0)"))
        }
        let messages: [(String, MessageToSite)] = [
            ("hello", .hello(try Fixture.hello())), ("entries", .entries(entries)), ("end of entries", .entriesEnd),
            ("differs", .differs(number: 43)), ("took", .took(number: 43)), ("leaving", .leaving),
            ("head", .head(try ClaimedRevocationHead(parsing: vector("head")))),
        ]
        for (name, message) in messages {
            let bytes = try vector("to a site: \(name)")
            #expect(message.bytes == bytes, "\(name)")
            #expect(try MessageToSite(parsing: bytes) == message, "\(name)")
        }
    }

    @Test("Messages from a site are the same, byte for byte")
    func messagesFromSite() throws {
        let document = try ClaimedSiteDocument(parsing: vector("site document of the next root"))
        let messages: [(String, MessageFromSite)] = [
            ("certificate", .certificate(try ClaimedSiteBoxCertificate(parsing: vector("box certificate")))),
            ("entries", .entries([try ClaimedRevocation(parsing: vector("revocation of a phone"))])),
            ("head", .head(try ClaimedRevocationHead(parsing: vector("head")))), ("document", .document(document)),
            (
                "servers",
                .servers(
                    try ["192.0.2.10:4711", "[2001:db8::10]:4711"].map { try #require(SiteAddress(Array($0.utf8))) })
            ),
            ("want entries", .wantEntries), ("refused, its code was used", .refused(.codeUsed)),
        ]
        for (name, message) in messages {
            let bytes = try vector("from a site: \(name)")
            #expect(message.bytes == bytes, "\(name)")
            #expect(try MessageFromSite(parsing: bytes) == message, "\(name)")
        }
    }

    @Test("The join code is the same text")
    func joinCode() throws {
        let name = "join code, in ASCII"
        let code = try JoinCode(parsing: SecretBytes(copying: vector(name)))
        let rootKey = try vector("root", "public")
        #expect(code.rootKey == rootKey && code.codeID == Fixture.codeID)
        #expect(code.servers.map(\.host) == ["192.0.2.10", "2001:db8::10"])
        let secret = try SecretBytes(copying: vector(name, "secret"))
        let (hasSecret, text) = (code.secret.isEqual(to: secret), code.format().withBytes { [UInt8](copying: $0) })
        #expect(hasSecret)
        #expect(try text == vector(name))
    }

    private func key(_ name: String) throws -> X25519KeyPair {
        try X25519KeyPair(privateKey: SecretBytes(copying: vector("keys of a link", name)))
    }

    /// Compares each message with its vector. Both sides use the fixed ephemeral keys.
    private func sent(
        _ name: String, box start: consuming InitiatorStart<XChaChaPoly>,
        server: consuming ResponderStart<XChaChaPoly>, answer: MessageFromSite
    ) throws {
        let first = try start.writeMessage1(ephemeral: key("box_ephemeral"))
        let (message1, sent) = (first.message, try vector(name, "first_message"))
        switch try FirstMessage(parsing: sent) {
        case .channel(let bytes): #expect(bytes == message1 && name == "a link")
        case .enrol(let codeID, let bytes):
            #expect(bytes == message1 && codeID == Fixture.codeID && name == "joining")
        }
        let ready = try server.readMessage1(message1)
        #expect(ready.claimedRemoteStatic == Fixture.box)
        let reply = try ready.writeMessage2(ephemeral: key("server_ephemeral"), now: .zero)
        let message2 = reply.message
        #expect(try message2 == vector(name, "message_2"))
        var box = try first.next.readMessage2(message2, now: .zero)
        var atServer = reply.transport
        let hello = try box.seal(MessageToSite.hello(Fixture.hello()).bytes, now: .zero)
        #expect(try hello == vector(name, "from_box"))
        let answered = try atServer.seal(answer.bytes, now: .zero)
        #expect(try answered == vector(name, "from_server"))
        let close = try box.sealClose()
        #expect(try close == vector(name, "close"))
    }

    @Test("A link and a joining with fixed ephemeral keys are the same, byte for byte")
    func conversations() throws {
        let link = try vector("prologue of a link")
        try sent(
            "a link",
            box: InitiatorStart(prologue: link, staticKey: key("box_private"), remoteStatic: Fixture.server),
            server: ResponderStart(prologue: link, staticKey: key("server_private")),
            answer: .head(ClaimedRevocationHead(parsing: vector("head"))))
        let (joining, secret) = (try vector("prologue of joining"), try vector("join code, in ASCII", "secret"))
        try sent(
            "joining",
            box: InitiatorStart(
                prologue: joining, staticKey: key("box_private"), remoteStatic: Fixture.server,
                psk: SecretBytes(copying: secret)),
            server: ResponderStart(
                prologue: joining, staticKey: key("server_private"), psk: SecretBytes(copying: secret)),
            answer: .certificate(ClaimedSiteBoxCertificate(parsing: vector("box certificate"))))
    }
}
