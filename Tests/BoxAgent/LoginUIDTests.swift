import Testing

@testable import BoxAgent

@Suite("As whom a process's session was logged in")
struct LoginUIDTests {
    @Test(
        "Only a number that somebody set counts",
        arguments: [
            ("1000", 1_000), ("0\n", 0), ("4294967294", 4_294_967_294), ("4294967295", nil), ("4294967296", nil),
            ("", nil),
            ("\n", nil), ("-1", nil), ("+1", nil), ("1 ", nil), ("x", nil),
        ] as [(String, UInt32?)])
    func parse(text: String, uid: UInt32?) {
        #expect(LoginUID.parse(Array(text.utf8)) == uid)
    }

    @Test("A process that is not there has none")
    func absent() {
        #expect(LoginUID.read(process: 0) == nil)
    }
}
