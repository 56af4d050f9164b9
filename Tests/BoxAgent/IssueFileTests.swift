import AgentCore
import Glibc
import Testing

@testable import BoxAgent

@Suite struct IssueFileTests {
    private let path = "/tmp/boxagent-issue-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    private func make(_ text: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    private func content() throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test("The box ID replaces what was there and goes at the end") func theBoxIDReplacesWhatWasThereAndGoesAtTheEnd()
        throws
    {
        try make(String(repeating: "something longer ", count: 20))
        defer { unlink(path) }
        let issue = IssueFile(path: path)
        #expect(issue.write(boxID: Array("0042".utf8)) == nil)
        #expect(try content() == "Phone login: this is box 0042. Tap on your phone, then type your user name.\n")
        #expect(issue.clear() == nil)
        #expect(try content() == "")
    }

    @Test("A file that nobody made is not made") func aFileThatNobodyMadeIsNotMade() {
        #expect(IssueFile(path: path).write(boxID: Array("0042".utf8)) == nil)
        #expect(access(path, F_OK) != 0)
        #expect(IssueFile(path: "").write(boxID: []) == nil)
    }

    @Test("A link is not followed") func aLinkIsNotFollowed() throws {
        let target = path + "-target"
        let file = try #require(fopen(target, "w"))
        fclose(file)
        symlink(target, path)
        defer {
            unlink(path)
            unlink(target)
        }
        let problem = try #require(IssueFile(path: path).write(boxID: Array("0042".utf8)))
        #expect(problem.contains("cannot be opened"))
    }

    @Test("A directory or a pipe is no issue file") func aDirectoryOrAPipeIsNoIssueFile() throws {
        mkfifo(path, 0o600)
        defer { unlink(path) }
        #expect(IssueFile(path: path).write(boxID: Array("0042".utf8)) != nil)
    }
}
