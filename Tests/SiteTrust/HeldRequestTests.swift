import Secrets
import Testing

@testable import SiteTrust

@Suite("What a phone asks about the credential that its site holds")
struct HeldRequestTests {
    private func secret(_ fill: UInt8, _ count: Int = 32) -> HeldSecret {
        HeldSecret(SecretBytes(copying: [UInt8](repeating: fill, count: count)))
    }

    private func expectNothing(_ bytes: consuming SecretBytes?, _ place: SourceLocation = #_sourceLocation) {
        let isThere = bytes != nil
        #expect(!isThere, sourceLocation: place)
    }

    private var actions: [HeldRequest.Action] {
        [
            .tries, .open(pinKey: secret(1)), .store(pinKey: secret(2), credential: secret(0x61, 13)),
            .store(pinKey: secret(2), credential: secret(0xFF, 511)), .changePIN(old: secret(3), new: secret(4)),
        ]
    }

    @Test("Each is read back as it was, and each kind has one length, whatever the password")
    func roundTrip() throws {
        var lengths: [Int] = []
        for action in actions {
            let content = try wanted(HeldRequest(counter: 1 << 40, action: action).encoded())
            lengths.append(content.count)
            let read = try HeldRequest(parsing: content)
            #expect(read.counter == 1 << 40)
            let again = try wanted(read.encoded())
            let isSame = again.isEqual(to: content)
            #expect(isSame)
        }
        #expect(lengths == [10, 42, 555, 555, 74])
        for length in lengths { #expect(HeldRequest.isLength(length + 96, sealedBy: 96)) }
        #expect(!HeldRequest.isLength(11 + 96, sealedBy: 96))
    }

    @Test("What has another version, kind, length or counter is refused")
    func refused() throws {
        let content = try wanted(HeldRequest(counter: 5, action: .open(pinKey: secret(1))).encoded())
        let bytes = content.withBytes { [UInt8](copying: $0) }
        func error(_ changed: [UInt8]) -> SiteError? {
            do throws(SiteError) {
                _ = try HeldRequest(parsing: SecretBytes(copying: changed))
                return nil
            } catch {
                return error
            }
        }
        #expect(error(bytes) == nil)
        #expect(error([2] + bytes.dropFirst()) == .unknownVersion)
        #expect(error([1, 0] + bytes.dropFirst(2)) == .invalidField)
        #expect(error([1, 5] + bytes.dropFirst(2)) == .invalidField)
        #expect(error([1, 3] + bytes.dropFirst(2)) == .wrongLength)
        #expect(error([UInt8](bytes.dropLast())) == .wrongLength)
        #expect(error(bytes + [0]) == .wrongLength)
        #expect(error([]) == .wrongLength)
        #expect(error([1, 2, 0x40] + bytes.dropFirst(3)) == .invalidField, "a counter of 2^62")
        expectNothing(HeldRequest(counter: 1 << 62, action: .tries).encoded())
        expectNothing(HeldRequest(counter: 1, action: .open(pinKey: secret(1, 31))).encoded())
    }

    @Test("A password that PAM could not be given is not sealed, and padding has one form")
    func padding() throws {
        expectNothing(HeldPadding.pad(SecretBytes(count: 0)))
        expectNothing(HeldPadding.pad(SecretBytes(copying: [1, 0, 1])))
        expectNothing(HeldPadding.pad(SecretBytes(copying: [UInt8](repeating: 1, count: 512))))
        let padded = try wanted(HeldPadding.pad(SecretBytes(copying: [7, 8])))
        let bytes = padded.withBytes { [UInt8](copying: $0) }
        #expect(bytes.count == 513 && bytes.prefix(5) == [0, 2, 7, 8, 0])
        var dirty = bytes
        dirty[512] = 1
        expectNothing(HeldPadding.unpad(SecretBytes(copying: dirty)))
        expectNothing(HeldPadding.unpad(SecretBytes(copying: [0, 0] + bytes.dropFirst(2))))
        expectNothing(HeldPadding.unpad(SecretBytes(copying: [2, 0] + bytes.dropFirst(2))))
        expectNothing(HeldPadding.unpad(SecretBytes(copying: [UInt8](bytes.dropLast()))))
    }

    @Test("The PIN key needs PIN and device secret, and the salt is each phone's own")
    func pinKey() throws {
        func key(_ hash: UInt8, _ device: UInt8) throws -> [UInt8] {
            try HeldPINKey.derive(pinHash: secret(hash).bytes, deviceSecret: secret(device).bytes)
                .withBytes { [UInt8](copying: $0) }
        }
        #expect(try key(1, 2) == key(1, 2))
        #expect(Set([try key(1, 2), try key(1, 3), try key(4, 2), try key(2, 1)]).count == 4)
        #expect(throws: SecretsError.wrongLength) {
            _ = try HeldPINKey.derive(pinHash: secret(1, 16).bytes, deviceSecret: secret(2).bytes)
        }
        let salts = [
            HeldPINKey.salt(site: SiteFixture.site, phoneKey: SiteFixture.phone),
            HeldPINKey.salt(site: SiteFixture.otherSite, phoneKey: SiteFixture.phone),
            HeldPINKey.salt(site: SiteFixture.site, phoneKey: SiteFixture.box),
        ]
        #expect(Set(salts).count == 3 && salts.allSatisfy { $0.count == 16 })
    }
}

@Suite("What the root says of the site's key")
struct SiteKeyStatementTests {
    private typealias Fixture = SiteFixture
    private let key = SiteFixture.x25519(41)

    private func statement(
        _ signer: Fixture.Signer = .root, number: SiteOrdinal = Fixture.ordinal(1, 2), site: SiteID = Fixture.site
    ) throws -> ClaimedSiteKeyStatement {
        try SiteKeyStatement.sign(key: key, number: number, site: site, root: Fixture.key(signer)).claimed
    }

    private func error(_ claimed: ClaimedSiteKeyStatement) throws -> SiteError? {
        var tally = SignatureTally()
        let pin = try Fixture.pin()
        do throws(SiteError) {
            _ = try claimed.verify(pin, tally: &tally)
            return nil
        } catch {
            return error
        }
    }

    @Test("The pinned root's counts")
    func counts() throws {
        var tally = SignatureTally()
        let verified = try statement().verify(try Fixture.pin(), tally: &tally)
        #expect(verified.key == key && verified.number == Fixture.ordinal(1, 2) && tally.count == 1)
        #expect(verified.bytes.count == SiteKeyStatement.byteCount)
        #expect(try ClaimedSiteKeyStatement(parsing: verified.bytes) == verified.claimed)
    }

    @Test("No issuer can make one, of any role, nor another site's root, nor one before or behind")
    func others() throws {
        for signer in [Fixture.Signer.boxes, .phones, .revocations, .servers, .nextRoot, .stranger] {
            #expect(try error(statement(signer)) == .notSigned)
        }
        #expect(try error(statement(site: Fixture.otherSite)) == .notSigned)
        #expect(try error(statement(.nextRoot, number: Fixture.ordinal(2, 1))) == .wrongRootNumber)
        for index in 9..<SiteKeyStatement.byteCount {
            var bytes = try statement().bytes
            bytes[index] ^= 1
            #expect(try error(ClaimedSiteKeyStatement(parsing: bytes)) == .notSigned)
        }
    }

    @Test("Another length or version is refused")
    func layout() throws {
        let bytes = try statement().bytes
        #expect(throws: SiteError.wrongLength) { try ClaimedSiteKeyStatement(parsing: [UInt8](bytes.dropLast())) }
        #expect(throws: SiteError.wrongLength) { try ClaimedSiteKeyStatement(parsing: []) }
        #expect(throws: SiteError.unknownVersion) { try ClaimedSiteKeyStatement(parsing: [2] + bytes.dropFirst()) }
    }

    @Test("It comes with a grant by which the site holds the credential, and with no other")
    func handedOver() throws {
        let document = try Fixture.claimed(try Fixture.document())
        let held = try ClaimedGrant(parsing: Fixture.grant(Fixture.grantFacts(mode: .siteHeld)).bytes)
        let own = try ClaimedGrant(parsing: Fixture.grant().bytes)
        let code = SiteGrantCode(document: document, grant: held, siteKey: try statement())
        #expect(try SiteGrantCode(parsing: code.text) == code)
        for wrong in [
            SiteGrantCode(document: document, grant: held),
            SiteGrantCode(document: document, grant: own, siteKey: try statement()),
        ] {
            #expect(throws: SiteTextError.damaged) { try SiteGrantCode(parsing: wrong.text) }
        }
    }
}
