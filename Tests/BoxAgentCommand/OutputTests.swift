import Testing

@testable import BoxAgentCommand

@Suite("What the command prints")
struct OutputTests {
    @Test(
        "Characters that a terminal obeys are shown as numbers",
        arguments: [
            ("Anna's phone, ж 日", "Anna's phone, ж 日"), ("a\u{1B}[31mb", "a\\u{1b}[31mb"), ("a\nb\r", "a\\u{a}b\\u{d}"),
            ("\u{202E}cba", "\\u{202e}cba"), ("\u{9B}2J", "\\u{9b}2J"), ("\u{0}\u{7F}", "\\u{0}\\u{7f}"),
            ("a\u{200B}b\u{2028}", "a\\u{200b}b\\u{2028}"),
        ])
    func escaping(text: String, shown: String) {
        #expect(Printable.text(text) == shown)
        #expect(Printable.text(Array(text.utf8)) == shown)
    }

    @Test("Bytes that are not UTF-8 are shown as numbers")
    func invalidText() {
        #expect(Printable.text([0x61, 0xFF, 0x0A, 0x5C]) == "a\\xff\\x0a\\x5c")
    }

    @Test("JSON is escaped as RFC 8259 asks, and nothing in it moves a cursor")
    func json() {
        let value = JSONValue.object([
            ("text", .text("a\"b\\c\n\t\u{1}\u{9B}\u{2028}ж")), ("none", .null), ("flag", .flag(true)),
            ("list", .array([.number(0), .number(.max)])), ("bytes", .bytes([0xFF])),
        ])
        let expected =
            #"{"text":"a\"b\\c\n\t\u0001\u009b\u2028ж","none":null,"flag":true,"#
            + #""list":[0,18446744073709551615],"bytes":"\\xff"}"#
        #expect(value.rendered == expected)
        #expect(JSONValue.array([]).rendered == "[]")
    }

    @Test("Columns are as wide as their widest cell")
    func table() {
        #expect(TextTable.lines([["A", "B", "C"], ["long", "", "x"]]) == ["A     B  C", "long     x"])
        #expect(TextTable.lines([]) == [])
    }

    @Test("Times are written for people and for programs")
    func times() {
        #expect(Timestamp.universal(0) == "1970-01-01T00:00:00Z")
        #expect(Timestamp.universal(1_795_243_212) == "2026-11-21T06:40:12Z")
        #expect(Timestamp.local(1_795_243_212).count == 19)
        #expect(Timestamp.universal(.max).isEmpty == false)
        #expect(
            [0, 59, 60, 3_661, 90_000].map(Timestamp.span) == ["0 s", "59 s", "1 min 0 s", "1 h 1 min", "1 d 1 h"])
    }

    @Test("Six digits are shown in two groups")
    func digits() {
        #expect(SixDigits.spaced("123456") == "123 456")
        #expect(SixDigits.spaced("12") == "12")
    }
}
