import Testing

@testable import SiteTrust

@Suite("What a phone and its site's administrator hand to each other")
struct SiteTextTests {
    private typealias Fixture = SiteFixture

    private func grantCode() throws -> SiteGrantCode {
        SiteGrantCode(
            document: try ClaimedSiteDocument(parsing: Fixture.document().bytes), grant: try Fixture.grant())
    }

    @Test("A phone's code comes out as it went in, with white space around it")
    func phoneCode() throws {
        let code = try #require(SitePhoneCode(phoneKey: Fixture.x25519(7)))
        #expect(code.text.count == 16 + 58)
        #expect(try SitePhoneCode(parsing: code.text) == code)
        #expect(try SitePhoneCode(parsing: [0x20, 0x0A] + code.text + [0x0D, 0x0A]) == code)
        #expect(SitePhoneCode(phoneKey: [1]) == nil)
    }

    @Test("A phone's code with one character changed, missing or more is damaged")
    func damagedPhoneCode() throws {
        let text = try #require(SitePhoneCode(phoneKey: Fixture.x25519(7))).text
        for index in 16..<text.count {
            var other = text
            other[index] = text[index] == 0x41 ? 0x42 : 0x41
            #expect(throws: SiteTextError.damaged) { try SitePhoneCode(parsing: other) }
        }
        #expect(throws: SiteTextError.damaged) { try SitePhoneCode(parsing: [UInt8](text.dropLast())) }
        #expect(throws: SiteTextError.damaged) { try SitePhoneCode(parsing: text + [0x41]) }
        #expect(throws: SiteTextError.damaged) { try SitePhoneCode(parsing: [UInt8](text.prefix(16))) }
    }

    @Test("A code of another scheme or version is told apart from damage")
    func schemes() throws {
        let text = try #require(SitePhoneCode(phoneKey: Fixture.x25519(7))).text
        var newer = text
        newer[14] = 0x32
        #expect(throws: SiteTextError.unknownVersion) { try SitePhoneCode(parsing: newer) }
        #expect(throws: SiteTextError.otherScheme) { try SitePhoneCode(parsing: try grantCode().text) }
        #expect(throws: SiteTextError.otherScheme) { try SitePhoneCode(parsing: []) }
        #expect(throws: SiteTextError.otherScheme) { try SiteGrantCode(parsing: text) }
    }

    @Test("A grant's code comes out as it went in, and a part of it is none")
    func grantText() throws {
        let code = try grantCode()
        #expect(try SiteGrantCode(parsing: code.text) == code)
        for count in stride(from: 0, to: code.text.count, by: 7) {
            #expect(throws: SiteTextError.self) { try SiteGrantCode(parsing: [UInt8](code.text.prefix(count))) }
        }
        #expect(throws: SiteTextError.damaged) { try SiteGrantCode(parsing: code.text + code.text) }
    }
}
