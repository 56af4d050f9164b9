import Names
import Testing

@Suite("User names")
struct UserNameTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "Names of directory services are allowed",
        arguments: [
            "a", "CORP\\anna", "anna@corp.example", "Анна Иванова", "$svc-1$", String(repeating: "x", count: 255),
        ])
    func allowed(name: String) {
        #expect(UserName.isName(Self.bytes(name)) && UserName.isAllowed(Self.bytes(name)))
    }

    @Test(
        "What is no name at all satisfies no rule",
        arguments: ["", "a\0b", String(repeating: "x", count: 256)])
    func none(name: String) {
        let name = Self.bytes(name)
        #expect(!UserName.isName(name) && !UserName.isAllowed(name))
        #expect(!UserName.isOneWord(name) && !UserName.isPrintable(name))
    }

    @Test(
        "A name that something could take for something else exists, and is not allowed",
        arguments: ["a\n", "\u{1B}[m", "a\u{7F}", "a/b", "a:b", "-rf", ".", ".."])
    func mistakable(name: String) {
        let name = Self.bytes(name)
        #expect(UserName.isName(name) && !UserName.isAllowed(name) && !UserName.isOneWord(name))
    }

    @Test("One word has no space, and is otherwise any allowed name")
    func oneWord() {
        #expect(UserName.isOneWord(Self.bytes("bob@example.org")) && UserName.isOneWord([0xFF]))
        #expect(!UserName.isOneWord(Self.bytes("a b")))
    }

    @Test("A printable name is UTF-8 without controls and separators of lines; no rule for accounts makes it stricter")
    func printable() {
        #expect(["ж", "a b", "-rf", "a/b", "😀"].allSatisfy { UserName.isPrintable(Self.bytes($0)) })
        let not: [[UInt8]] = [[0xFF], [0xC0, 0xAF], [0x0A], [0x7F], [0xC2, 0x85], [0xE2, 0x80, 0xA8]]
        #expect(!not.contains { UserName.isPrintable($0) })
    }
}
