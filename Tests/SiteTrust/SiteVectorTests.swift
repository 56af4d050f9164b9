import Glibc
import Secrets
import TestVectors
import Testing

@testable import SiteTrust

@Suite("Vectors of Tests/Vectors/site.txt, made with another library")
struct SiteVectorTests {
    private typealias Fixture = SiteFixture

    /// The fields of all cases, in the order in which each case lists them.
    private static let fields = [
        "seed", "public", "id", "key_id", "phone_key", "box_key", "server_key", "user_id", "site_secret",
        "site_private",
        "site_public", "code_id", "secret", "bytes", "hash",
        "box_private", "server_private", "box_ephemeral", "server_ephemeral", "phone_private", "phone_ephemeral",
        "site_ephemeral", "prologue", "first_message", "message_2", "from_box", "from_server", "handshake_hash",
        "hello",
        "site_hello", "phone_nonce", "commitment", "enrol", "site_nonce", "enrol_nonce", "reveal",
        "six_digits_in_ascii",
        "enrol_pending", "site_document", "site_enrolled", "close",
        "channel", "pin_salt", "pin_hash", "device_secret", "pin_key", "request", "salt",
    ]

    private func vector(_ name: String) throws -> VectorCase {
        try #require(try VectorFile("site.txt").cases.first { $0.name == name }, "no case \(name)")
    }

    @Test(
        "Keys and their ids are the ones that the other library has",
        arguments: [
            ("root", SiteFixture.Signer.root), ("next root", .nextRoot), ("issuer of boxes", .boxes),
            ("issuer of phones", .phones), ("issuer of revocations", .revocations), ("issuer of servers", .servers),
        ])
    private func keys(name: String, signer: SiteFixture.Signer) throws {
        let key = Fixture.key(signer).publicKey
        #expect(try vector(name).bytes("public") == key)
        #expect(
            try vector(name).bytes("key_id")
                == (0..<8).map { UInt8(truncatingIfNeeded: IssuerKeyID(of: key).value >> UInt64(56 - 8 * $0)) })
        #expect(try vector("site").bytes("id") == Fixture.site.bytes)
        #expect(
            try vector("site").bytes("phone_key") == Fixture.phone && vector("site").bytes("box_key") == Fixture.box)
    }

    @Test("Site documents are the same, byte for byte, and a pin takes the second after the first")
    func documents() throws {
        let first = try vector("site document").bytes("bytes")
        let second = try vector("site document of the next root").bytes("bytes")
        #expect(try Fixture.document().bytes == first)
        #expect(try Fixture.document(version: 1, root: .nextRoot, rootNumber: 2, next: .lastRoot).bytes == second)
        var tally = SignatureTally()
        var pin = try SitePin(
            root: Fixture.key(.root).publicKey, document: ClaimedSiteDocument(parsing: first), tally: &tally)
        #expect(try pin.take(ClaimedSiteDocument(parsing: second), tally: &tally) == .newGeneration)
    }

    @Test("Grants and their hashes are the same, byte for byte, and good at a box")
    func grants() throws {
        let longest = try Fixture.grantFacts(
            user: [UInt8](repeating: 0x75, count: 64), groups: [1, 2, 3, 4, 5, 6, 7, 8], mode: .siteHeld)
        for (name, facts) in [("grant", try Fixture.grantFacts()), ("longest grant", longest)] {
            let bytes = try vector(name).bytes("bytes")
            let issued = try Grant.issue(facts, site: Fixture.site, issuer: Fixture.key(.phones))
            #expect(issued.bytes == bytes && issued.facts == facts)
            #expect(try vector(name).bytes("hash") == issued.hash)
            var tally = SignatureTally()
            let check = GrantCheck(site: try Fixture.freshBox(), groups: Fixture.groups([1]))
            let admitted = try check.admit(
                ClaimedGrant(parsing: bytes), phoneKey: Fixture.phone, now: Fixture.clock(1000), tally: &tally)
            #expect(admitted == issued)
        }
    }

    @Test("The box certificate is the same, byte for byte")
    func boxCertificate() throws {
        #expect(try Fixture.certificate().bytes == vector("box certificate").bytes("bytes"))
    }

    @Test("The server certificate is the same, byte for byte")
    func serverCertificate() throws {
        let key = Fixture.x25519(31)
        #expect(try vector("site").bytes("server_key") == key)
        let issued = try SiteServerCertificate.issue(
            serverKey: key, expiry: Fixture.start + 30 * Fixture.day, site: Fixture.site, issuer: Fixture.key(.servers))
        #expect(try vector("server certificate").bytes("bytes") == issued.bytes)
    }

    @Test("Entries, the hash of their set and the head are the same, byte for byte")
    func revocations() throws {
        let entries = [
            ("revocation of a phone", RevokedSubject.phone(key: Fixture.phone)),
            ("revocation of a user", .user(Fixture.user, upTo: 41)),
            ("revocation of a box", .box(key: Fixture.box)),
        ]
        var set = RevocationSet()
        let document = try Fixture.document().facts
        #expect(try vector("empty set").bytes("hash") == set.hash(at: Fixture.start, document: document))
        for (name, subject) in entries {
            let entry = try Fixture.revocation(subject)
            #expect(try vector(name).bytes("bytes") == entry.bytes)
            #expect(try set.insert(entry) == true)
        }
        #expect(try vector("set of the three").bytes("hash") == set.hash(at: Fixture.start + 60, document: document))
        let notice = try EnrolmentNotice(
            user: Fixture.user, boxID: Array("004711".utf8), time: 1_800_000_000, device: [UInt8](0xA0..<0xA5))
        #expect(
            try vector("notice of an enrolment").bytes("bytes") == Fixture.revocation(.enrolment(notice)).bytes)
        let head = try Fixture.head(of: set, number: 43, time: Fixture.start + 60)
        #expect(try vector("head").bytes("bytes") == head.bytes)
    }

    @Test("The block of Tests/Vectors/site-protocol.md has these vectors")
    func documented() throws {
        let here = #filePath
        let root = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = try #require(fopen("\(root)/Tests/Vectors/site-protocol.md", "r"))
        defer { fclose(file) }
        var (content, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { content += chunk[..<count] }
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```hex vectors-site"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        let expected = try VectorFile("site.txt").cases.flatMap { vector in
            Self.fields
                .filter { vector.has($0) }
                .map { "\(vector.name), \($0):\n  \((try? vector.text($0)) ?? "")" }
        }
        #expect(
            lines[(start + 1)..<end].joined(separator: "\n") == expected.joined(separator: "\n"),
            "the block should read:\n\(expected.joined(separator: "\n"))")
    }
}
