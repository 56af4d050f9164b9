import PAMProtocol
import PAMLogic
import Testing

@Suite("What a session hook is given, and what may be one")
struct SessionHookTests {
    private func environment(_ variables: [String]) -> ([String], isCut: Bool) {
        var environment = HookEnvironment()
        for variable in variables { environment.add(Array(variable.utf8)) }
        return (environment.variables.map { String(decoding: $0, as: UTF8.self) }, environment.isCut)
    }

    @Test("Variables that describe the session pass, and no other")
    func known() {
        let passing = [
            "XDG_SESSION_ID=c1", "LC_ALL=C", "LANG=de_DE.UTF-8", "DISPLAY=:0", "KRB5CCNAME=FILE:/tmp/x", "TZ=",
        ]
        let (variables, isCut) = environment(
            passing + [
                "LD_PRELOAD=/x", "PATH=/x", "HOME=/x", "ENV=/x", "BASH_ENV=/x", "IFS=x", "XDG_a=b", "XDG_SESSION_ID",
                "",
                "=x", "LANG2=x", "LC_ALL=a\nb", "GLIBC_TUNABLES=x",
            ])
        #expect(variables == passing)
        #expect(!isCut)
    }

    @Test("More or longer variables than an order takes are left out, and that is said")
    func bounds() {
        let (many, isManyCut) = environment((0..<40).map { "XDG_\($0)=x" })
        #expect(many.count == HookOrder.variables)
        #expect(isManyCut)
        let (long, isLongCut) = environment(["XDG_A=" + String(repeating: "x", count: 2_042), "XDG_B=x"])
        #expect(long.count == 1)
        #expect(isLongCut)
    }

    @Test("A path is looked at from the root down, each directory and the program")
    func steps() {
        let steps = ProgramTrust.steps(of: Array("/usr/lib/hook".utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(steps == ["/", "/usr", "/usr/lib", "/usr/lib/hook"])
        #expect(ProgramTrust.steps(of: Array("/hook".utf8)).count == 2)
    }

    private func step(
        owner: UInt32 = 0, isDirectory: Bool = false, isFile: Bool = false, othersMayWrite: Bool = false,
        mayRun: Bool = true
    ) -> ProgramTrust.Step {
        ProgramTrust.Step(
            owner: owner, isDirectory: isDirectory, isFile: isFile, othersMayWrite: othersMayWrite, mayRun: mayRun)
    }

    @Test("Only what root alone may change is trusted; who is not root may also use what is theirs")
    func trust() {
        #expect(ProgramTrust.problem(with: step(isDirectory: true), isLast: false, own: 0) == nil)
        #expect(ProgramTrust.problem(with: step(isFile: true), isLast: true, own: 0) == nil)
        #expect(ProgramTrust.problem(with: nil, isLast: true, own: 0) == .absent)
        #expect(ProgramTrust.problem(with: step(owner: 7, isFile: true), isLast: true, own: 0) == .notOwnedByRoot)
        #expect(ProgramTrust.problem(with: step(owner: 7, isFile: true), isLast: true, own: 7) == nil)
        #expect(ProgramTrust.problem(with: step(owner: 8, isDirectory: true), isLast: false, own: 7) == .notOwnedByRoot)
        let open = step(isDirectory: true, othersMayWrite: true)
        #expect(ProgramTrust.problem(with: open, isLast: false, own: 0) == .writableByOthers)
        #expect(ProgramTrust.problem(with: step(isFile: true), isLast: false, own: 0) == .notADirectory)
        #expect(ProgramTrust.problem(with: step(isDirectory: true), isLast: true, own: 0) == .notAProgram)
        #expect(ProgramTrust.problem(with: step(isFile: true, mayRun: false), isLast: true, own: 0) == .notAProgram)
    }
}
