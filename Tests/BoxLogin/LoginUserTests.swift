import Testing

@testable import BoxLogin

@Suite struct LoginUserTests {
    @Test(
        "A name that login can take is taken",
        arguments: ["alice", "a", "DOMAIN\\bob", "bob@example.org", "jürgen", "x-", "_greetd"])
    func aNameThatLoginCanTakeIsTaken(name: String) throws {
        let user = try #require(LoginUser(Array(name.utf8)))
        let arguments = LoginProgram.arguments("/bin/login", user)
        #expect(arguments == ["/bin/login", "-p", "--", name].map { Array($0.utf8) })
    }

    @Test(
        "A name that a program could take for something else is refused",
        arguments: [
            "", "-f", "-froot", "a b", "a\tb", "a\nb", "a\u{1b}[2J", "../x", "a/b", "a:b", ".", "..", "a\u{7f}",
        ])
    func aNameThatAProgramCouldTakeForSomethingElseIsRefused(name: String) {
        #expect(LoginUser(Array(name.utf8)) == nil)
    }

    @Test("A name that is too long or has a NUL is refused") func aNameThatIsTooLongOrHasANULIsRefused() {
        #expect(LoginUser([UInt8](repeating: 0x61, count: 256)) == nil)
        #expect(LoginUser([0x61, 0, 0x62]) == nil)
    }

    @Test("Whoever types gets a login without a user") func whoeverTypesGetsALoginWithoutAUser() {
        #expect(LoginProgram.arguments("/bin/login", nil) == ["/bin/login", "-p"].map { Array($0.utf8) })
    }
}
