import PageCore
import SiteControl
import Testing

@Suite("Text")
struct TextTests {
    @Test("No sign of HTML stays, also where a combining sign makes it another character")
    func markup() {
        #expect(Markup.escaped("<a href=\"x\" b='y'>&") == "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;")
        for sign in ["<", ">", "&", "\"", "'"] {
            for mark in ["\u{301}", "\u{338}", "\u{200d}", "\u{fe0f}"] {
                #expect(Markup.escaped(sign + mark).unicodeScalars.first == "&")
                #expect(
                    !Markup.escaped(sign + mark).unicodeScalars.dropFirst().contains {
                        sign.unicodeScalars.contains($0) && $0 != "&"
                    })
            }
        }
    }

    @Test("Names that turn text around, or are not seen, are shown as numbers and turn nothing")
    func foreign() {
        #expect(Markup.foreign("\u{202e}anna\u{0}") == "<bdi>\\u{202e}anna\\u{0}</bdi>")
        #expect(Markup.foreign("<script>") == "<bdi>&lt;script&gt;</bdi>")
    }

    @Test("A sentence takes its parts as text, and a part cannot take another one's place")
    func sentences() throws {
        let catalogue = try #require(
            Catalogue("en", "msgid \"\"\nmsgstr \"\"\n\"x\"\nmsgid \"a\"\nmsgstr \"<{0} and {1}, {2}\"\n"))
        #expect(catalogue.markup("a", "{1}", "<b>") == "&lt;<bdi>{1}</bdi> and <bdi>&lt;b&gt;</bdi>, {2}")
        #expect(catalogue.plain("missing") == "missing")
    }

    @Test("A damaged catalogue is none")
    func damaged() {
        for text in [
            "msgid \"a\"\nmsgid \"b\"\n", "msgid \"a\"\n", "msgstr \"a\"\n", "msgid \"a\"\nmsgstr \"\"\n", "x\n",
            "msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\n", "msgid \"a\"\nmsgstr \"b\"c\"\n",
            "msgid \"a\"\nmsgstr \"b\\n\"\n",
        ] { #expect(Catalogue("en", text) == nil, "\(text)") }
    }

    @Test("Times and spans are as calendars have them")
    func times() {
        #expect(Moment.text(0) == "1970-01-01 00:00" && Moment.machine(1_709_164_799) == "2024-02-28T23:59Z")
        #expect(Moment.text(1_709_251_200) == "2024-03-01 00:00" && Moment.text(1_709_164_800) == "2024-02-29 00:00")
        #expect(Moment.text(.max) == "9999-12-31 23:59")
        #expect(Moment.span(0).map(\.number) == [0] && Moment.span(59).map(\.key) == ["unitSeconds"])
        #expect(Moment.span(90_061).map(\.number) == [1, 1] && Moment.span(86_400).map(\.key) == ["unitDays"])
        #expect(Moment.span(86_460).map(\.number) == [1])
        #expect(Moment.span(.max).count == 2)
    }

    @Test("A day is one that calendars have")
    func days() {
        #expect(Moment.day("1970-01-01") == 0 && Moment.day("2024-02-29") == 1_709_164_800)
        #expect(Moment.day("9999-12-31") == 253_402_214_400)
        for text in [
            "", "2026-02-29", "2026-13-01", "2026-00-10", "1969-12-31", "2026-1-1", "2026-11-24 ", "+026-11-24",
        ] {
            #expect(Moment.day(text) == nil, "\(text)")
        }
    }

    @Test("At most 8 groups, each a number from 1 to 65535")
    func groups() {
        #expect(PageText.groups("7, 3 7") == [3, 7] && PageText.groups("") == [1])
        for text in ["0", "65536", "a", "-1", "1 2 3 4 5 6 7 8 9"] { #expect(PageText.groups(text) == nil, "\(text)") }
    }

    @Test("A page of a list is the one that is asked for, or the nearest")
    func pages() {
        let all = Array(0..<PageLimits.rowsPerPage * 2 + 1)
        #expect(ListPage(all, number: 3).rows == [100] && ListPage(all, number: 3).pages == 3)
        for number in [.max, 4] { #expect(ListPage(all, number: number).number == 3) }
        for number in [.min, 0, 1] { #expect(ListPage(all, number: number).rows.first == 0) }
        #expect(ListPage([Int](), number: 7).number == 1)
    }

    @Test("A filter of boxes has the search text, and the state if such a state exists")
    func boxes() {
        #expect(BoxFilter(text: "Ward\u{0}3", state: "away").wish.search == "Ward3")
        #expect(BoxFilter(text: "", state: "away").wish.state == "away")
        for state in ["", "all", "x", "<b>"] { #expect(BoxFilter(text: "", state: state).wish.state == nil) }
        #expect(
            BoxFilter(text: String(repeating: "ä", count: 100), state: "").text.utf8.count == PageLimits.searchBytes)
    }
}
