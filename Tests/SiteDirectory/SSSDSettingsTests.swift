import SiteControl
import Testing

@testable import SiteDirectory

struct SSSDSettingsTests {
    @Test("sssd's own time is said to be too long, and what to write instead") func usualIsTooLong() throws {
        let settings = SSSDSettings("[sssd]\ndomains = a\n[domain/a]\nid_provider = ldap\n")
        let problem = try #require(settings.problems.first)
        #expect(
            problem.contains("[domain/a]") && problem.contains("5400 s")
                && problem.contains("entry_cache_timeout = 120"))
    }

    @Test("A time of two minutes has no problem, and one second more has") func bound() {
        #expect(SSSDSettings("[domain/a]\n  entry_cache_timeout=120 \n").problems.isEmpty)
        #expect(SSSDSettings("[domain/a]\nentry_cache_timeout = 121\n").problems.count == 1)
    }

    @Test("The time for users counts for more, and each domain has its own") func users() {
        let text = """
            [domain/a]
            entry_cache_timeout = 60
            entry_cache_user_timeout = 600
            [domain/b]
            # entry_cache_timeout = 10
            entry_cache_timeout = 60
            """
        #expect(SSSDSettings(text).domains.map(\.seconds) == [600, 60])
    }

    @Test("A file without a domain is a problem") func noDomain() {
        #expect(SSSDSettings("[sssd]\nservices = nss\n").problems.count == 1)
    }
}

struct DirectoryRecordTests {
    @Test("What is said of a user comes out as it went in") func roundTrip() {
        var there = DirectoryFinding()
        (there.kind, there.groups, there.name) = (.there, [0, 63], "anna")
        var refused = DirectoryFinding()
        (refused.kind, refused.why) = (.notAllowed, "expired\tor locked")
        let findings = [there, refused, DirectoryFinding()]
        #expect(DirectoryRecord.findings(findings.flatMap(DirectoryRecord.text)) == findings)
    }

    @Test("What was cut off is not taken for a finding") func cut() {
        var gone = DirectoryFinding()
        gone.kind = .gone
        let bytes = DirectoryRecord.text(gone)
        #expect(DirectoryRecord.findings(bytes + bytes.dropLast(1)) == [gone])
        #expect(DirectoryRecord.findings(Array(bytes.dropLast(1))) == [])
    }

    @Test("A record that nobody understands is unclear, and not there or gone") func garbage() {
        #expect(
            DirectoryRecord.findings(Array("there\0gone\t-\t\0x\t-\t\t\0".utf8)).map(\.kind) == [
                .unclear, .unclear, .unclear,
            ])
    }
}
