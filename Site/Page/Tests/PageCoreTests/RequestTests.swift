import PageCore
import Testing

@Suite("Requests")
struct RequestTests {
    private func form(_ text: String) -> Form? { Form(Array(text.utf8)) }

    @Test("Fields are read as browsers write them")
    func fields() throws {
        let read = try #require(form("user=anna&label=Anna%27s+phone&empty=&%C3%BC=%D0%B0"))
        #expect(read["user"] == "anna" && read["label"] == "Anna's phone" && read["empty"] == "")
        #expect(read["ü"] == "а" && read["none"] == nil)
        #expect(form("") == Form())
        #expect(form("a=%20%09x+&b")?.trimmed("a") == "x")
    }

    @Test("A field that comes twice, broken escapes, no UTF-8 and too much are refused")
    func refusedForms() {
        for text in ["a=1&a=2", "a=%", "a=%4", "a=%zz", "a=%FF", "%C3=1"] { #expect(form(text) == nil, "\(text)") }
        #expect(form("a=" + String(repeating: "x", count: PageLimits.formValueBytes + 1)) == nil)
        #expect(form(String(repeating: "x", count: PageLimits.formNameBytes + 1) + "=1") == nil)
        #expect(form((0...PageLimits.formFields).map { "f\($0)=1" }.joined(separator: "&")) == nil)
        #expect(form(String(repeating: "&", count: PageLimits.formBytes + 1)) == nil)
    }

    @Test("What a link says comes back from it")
    func links() throws {
        let odd = "a&b=c d%\"'<ü>#?/+"
        let read = try #require(form(Form.query([("q", odd), ("none", ""), ("page", "2")])))
        #expect(read["q"] == odd && read["page"] == "2" && read["none"] == nil)
    }

    @Test("Passkeys are for https, or this machine")
    func origins() {
        let good = [
            "https://boxes.example.org", "https://boxes.example.org:8443", "http://localhost:8080", "https://localhost",
            "http://a.localhost:1",
        ]
        for text in good { #expect(PageOrigin(text)?.text == text) }
        let bad = [
            "http://boxes.example.org", "https://", "https://boxes.example.org/", "https://boxes.example.org:443",
            "https://Boxes.example.org", "https://192.0.2.1", "https://[::1]", "https://a:b@c", "https://a..b",
            "http://localhost:80", "https://a:0", "https://a:65536", "https://a:08", "ftp://localhost", "localhost", "",
            "http://notlocalhost",
        ]
        for text in bad { #expect(PageOrigin(text) == nil, "\(text)") }
    }

    @Test("A form is taken from this origin alone, and any request for this host alone")
    func verdicts() throws {
        let origin = try #require(PageOrigin("https://boxes.example.org"))
        func verdict(_ host: String?, _ from: String?, _ site: String?, post: Bool = true) -> RequestCheck.Verdict {
            RequestCheck.verdict(.init(authority: host, origin: from, fetchSite: site, isPost: post), origin)
        }
        let (host, own) = ("boxes.example.org", "https://boxes.example.org")
        #expect(verdict(host, own, "same-origin") == .good && verdict("Boxes.Example.Org", own, nil) == .good)
        #expect(verdict(host, nil, nil, post: false) == .good)
        for other in ["evil.example.org", "boxes.example.org:8443", "", nil] {
            #expect(verdict(other, own, "same-origin") == .otherHost)
            #expect(verdict(other, nil, nil, post: false) == .otherHost)
        }
        for other in ["https://evil.example.org", "http://boxes.example.org", "null", "", nil] {
            #expect(verdict(host, other, "same-origin") == .otherOrigin)
        }
        for site in ["cross-site", "same-site", "none", ""] { #expect(verdict(host, own, site) == .otherOrigin) }
    }

    @Test("The language is the one that weighs most, of those that there are")
    func languages() {
        #expect(PageLanguage.best(of: "fr, de-AT;q=0.8, en;q=0.5") == "de")
        #expect(PageLanguage.best(of: "en;q=0.5, ru;q=0.9") == "ru")
        for header in [nil, "", "fr", "de;q=0", ";;;,,,q=", "de;q=x;"] {
            #expect(["en", "de"].contains(PageLanguage.best(of: header)))
        }
        #expect(PageLanguage.best(of: "fr;q=1,zz") == "en")
    }
}
