import CommandTool
import ControlProtocol
import Glibc
import Testing
import TextOutput

@testable import BoxAgentCommand

@Suite("Commands about the box's site")
struct SiteCommandTests {
    private static var listing: SiteListing {
        var site = SiteListing()
        site.site = [0x34, 0x75, 0x0F, 0x98] + [UInt8](repeating: 0xAB, count: 12)
        site.boxNumber = "004711"
        site.groups = "1, 7"
        site.servers = "192.0.2.10:4711, [2001:db8::10]:4711"
        site.linkedServer = "192.0.2.10:4711"
        site.linkedSeconds = 61
        site.documentVersion = "1.3"
        site.generation = "1.1"
        site.entries = 1
        site.headNumber = 43
        site.headAgeSeconds = 59
        site.freshSeconds = 58
        site.hoursLeft = 24
        site.hoursLimit = 24
        site.certificateExpiry = 1_795_243_212
        return site
    }

    @Test("A linked box shows its number, its link, the age of its head and its hours")
    func linked() {
        let lines = TextTable.lines(SiteShowCommand.rows(Self.listing))
        #expect(lines[0] == "site              34750f98abababababababababababab")
        #expect(lines[1] == "this box          number 004711, in groups 1, 7")
        #expect(lines[3] == "link              192.0.2.10:4711, for 1 min 1 s")
        #expect(lines[4] == "document          version 1.3, generation 1.1")
        #expect(lines[5] == "revoked           1 entry")
        #expect(lines[6] == "signed status     number 43, 59 s old; the last fresh one 58 s ago")
        #expect(lines[7] == "without the site  24 hours left of 24")
        #expect(lines.count == 9)
    }

    @Test("A box without a link says why, and what others chose cannot move the cursor")
    func unlinked() {
        var site = Self.listing
        (site.linkedServer, site.headNumber, site.freshSeconds) = (nil, nil, nil)
        site.problem = "nobody \u{1B}[2J"
        site.problemSeconds = 120
        let lines = TextTable.lines(SiteShowCommand.rows(site))
        #expect(lines[3] == "link              none" && lines[6] == "signed status     none yet")
        #expect(lines.last == "problem           nobody \\u{1b}[2J, for 2 min")
    }

    @Test("In JSON times are RFC 3339, and what is not so is null")
    func json() {
        var site = Self.listing
        (site.linkedServer, site.linkedSeconds) = (nil, nil)
        let line = SiteShowCommand.json(site).line
        for part in [
            #""site":"34750f98abababababababababababab""#, #""box_number":"004711""#, #""linked_server":null"#,
            #""head_number":43"#, #""certificate_expiry":"2026-11-21T06:40:12Z""#, #""problem":null"#,
        ] {
            #expect(line.replacing(" ", with: "").contains(part), "\(part) in \(line)")
        }
    }

    @Test("Leaving says for good, and where nobody can be told")
    func leaving() {
        var site = Self.listing
        #expect(LeaveCommand.plan(site).count == 1)
        #expect(LeaveCommand.plan(site).first?.contains("does not accept the keys of a removed box again") == true)
        site.linkedServer = nil
        #expect(LeaveCommand.plan(site).last?.contains("remove the box at the site as well") == true)
    }

    @Test("A code in an argument is refused, with what that means for it")
    func codeInArguments() {
        #expect(throws: (any Error).self) { try JoinCommand.parse(["boxsite:1/AAAA"]) }
        do {
            _ = try JoinCommand.parse(["boxsite:1/AAAA"])
        } catch {
            #expect(JoinCommand.message(for: error).contains("do not pass the code as an argument"))
            #expect(!JoinCommand.message(for: error).contains("AAAA"))
        }
    }

    @Test("A code is read from a file up to the end of its line, and anything else is told")
    func codeFile() throws {
        var template = Array("/tmp/boxagent-code-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        let path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(file)
            unlink(path)
        }
        #expect(throws: CommandFailure.self) { _ = try SecretLine(from: path, Terminal()).bytes.count }
        _ = write(file, "\nboxsite:1/ABC\nrest", 19)
        let line = try SecretLine(from: path, Terminal())
        #expect(line.bytes.count == 13)
        #expect(throws: CommandFailure.self) { _ = try SecretLine(from: path + "-none", Terminal()).bytes.count }
        ftruncate(file, 0)
        let long = [UInt8](repeating: 0x41, count: SecretLine.byteLimit + 1)
        _ = pwrite(file, long, long.count, 0)
        #expect(throws: CommandFailure.self) { _ = try SecretLine(from: path, Terminal()).bytes.count }
    }
}
