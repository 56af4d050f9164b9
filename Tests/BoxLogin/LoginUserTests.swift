import Testing

@testable import BoxLogin

@Suite struct LoginUserTests {
    @Test(arguments: ["alice", "a", "DOMAIN\\bob", "bob@example.org", "jürgen", "x-", "_greetd"])
    func aNameThatLoginCanTakeIsTaken(name: String) throws {
        let user = try #require(LoginUser(Array(name.utf8)))
        let arguments = LoginProgram.arguments("/bin/login", user)
        #expect(arguments == ["/bin/login", "-p", "--", name].map { Array($0.utf8) })
    }

    @Test(arguments: [
        "", "-f", "-froot", "a b", "a\tb", "a\nb", "a\u{1b}[2J", "../x", "a/b", "a:b", ".", "..", "a\u{7f}",
    ])
    func aNameThatAProgramCouldTakeForSomethingElseIsRefused(name: String) {
        #expect(LoginUser(Array(name.utf8)) == nil)
    }

    @Test func aNameThatIsTooLongOrHasANULIsRefused() {
        #expect(LoginUser([UInt8](repeating: 0x61, count: 256)) == nil)
        #expect(LoginUser([0x61, 0, 0x62]) == nil)
    }

    @Test func whoeverTypesGetsALoginWithoutAUser() {
        #expect(LoginProgram.arguments("/bin/login", nil) == ["/bin/login", "-p"].map { Array($0.utf8) })
    }
}
