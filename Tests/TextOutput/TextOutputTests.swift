import Testing
import TextOutput

@Suite("What programs print")
struct TextOutputTests {
    @Test(
        "Characters that a terminal obeys are shown as numbers",
        arguments: [
            ("Anna's phone, ж 日", "Anna's phone, ж 日"), ("a\u{1B}[31mb", "a\\u{1b}[31mb"), ("a\nb\r", "a\\u{a}b\\u{d}"),
            ("\u{202E}cba", "\\u{202e}cba"), ("\u{9B}2J", "\\u{9b}2J"), ("\u{0}\u{7F}", "\\u{0}\\u{7f}"),
            ("a\u{200B}b\u{2028}", "a\\u{200b}b\\u{2028}"), ("\u{E000}", "\\u{e000}"),
        ])
    func escaping(text: String, shown: String) {
        #expect(text.escaped == shown)
        #expect(Printable.text(Array(text.utf8)) == shown)
    }

    @Test("Bytes that are not UTF-8 are shown as numbers")
    func invalidText() {
        #expect(Printable.text([0x61, 0xFF, 0x0A, 0x5C]) == "a\\xff\\x0a\\x5c")
    }

    @Test("JSON is escaped as RFC 8259 asks, and nothing in it moves a cursor")
    func json() {
        let value = JSONValue.record([
            ("text", .text("a\"b\\c\n\t\u{1}\u{9B}\u{2028}\u{E0001}ж")), ("none", .null), ("flag", .flag(true)),
            ("list", .list([.number(-1), .number(UInt64.max)])), ("bytes", .bytes([0xFF])),
            ("absent", .number(orNull: Int?.none)), ("word", .text(orNull: "w")),
        ])
        let expected =
            #"{"text":"a\"b\\c\n\t\u0001\u009b\u2028\udb40\udc01ж","none":null,"flag":true,"#
            + #""list":[-1,18446744073709551615],"bytes":"\\xff","absent":null,"word":"w"}"#
        #expect(value.line == expected)
        #expect(JSONValue.list([]).line == "[]")
    }
}

@Suite("Counts and words")
struct CountTests {
    @Test("One of a thing has no plural", arguments: [(0, "0 tries"), (1, "1 try"), (2, "2 tries")])
    func plural(count: Int, text: String) {
        #expect(Plural.text(count, "try", "tries") == text)
        #expect(Plural.text(count, "phone") == "\(count) phone" + (count == 1 ? "" : "s"))
    }

    private enum Example {
        case mustChangePassword
        case none
    }

    @Test("A case of an enumeration is written in snake_case")
    func words() {
        #expect(JSONValue.word(Example.mustChangePassword).line == "\"must_change_password\"")
        #expect(JSONValue.word(Example.none).line == "\"none\"")
    }
}
