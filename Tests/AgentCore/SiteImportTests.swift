import ControlProtocol
import SiteLink
import SiteTrust
import Testing
import VaultPort

@testable import AgentCore

@Suite("A bundle that is brought to a box")
struct SiteImportTests {
    private static let hour: UInt64 = 3_600
    private static let control = Sample.control(5)

    /// A member whose link ended `hours` ago, and whose offline allowance is used up.
    private func cutOff(hours: UInt64 = 72) throws -> SiteBench {
        var bench = try SiteBench.member()
        bench.hear(.ended(.dropped, random: 0))
        bench.pass(.seconds(Int64(hours * Self.hour)))
        bench.forget()
        return bench
    }

    private func bundle(
        _ document: ClaimedSiteDocument? = nil, certificates: [ClaimedSiteBoxCertificate] = [],
        entries: [ClaimedRevocation] = [], head: ClaimedRevocationHead
    ) throws -> [UInt8] {
        let batches = stride(from: 0, to: entries.count, by: 64).map {
            Array(entries[$0..<min($0 + 64, entries.count)])
        }
        let messages: [MessageFromSite] =
            [.document(try document ?? ModelSite.document())] + certificates.map { .certificate($0) }
            + batches.map { .entries($0) } + [.head(head)]
        return SiteBundle.firstLine + messages.flatMap { SiteBundle.frame($0) }
    }

    private func bring(_ bytes: [UInt8], to bench: inout SiteBench, holdingVault isHeld: Bool = false) {
        let size = ControlLimits.bundlePartBytes
        var starts = Array(stride(from: 0, to: bytes.count, by: size))
        if starts.isEmpty { starts = [0] }
        for start in starts {
            let part = Array(bytes[start..<min(start + size, bytes.count)])
            bench.run(holdingVault: isHeld) {
                $0.imports(Self.control, part, isLast: start == starts.last, &$1)
            }
        }
    }

    private func reported(_ bench: SiteBench) -> SiteImportListing? {
        bench.replies.compactMap { if case .siteImported(let listing) = $0 { listing } else { nil } }.last
    }

    private func failure(_ bench: SiteBench) -> (FailureKind, String)? {
        bench.replies.compactMap { if case .failure(let kind, let what, _) = $0 { (kind, what) } else { nil } }.last
    }

    private func judge(_ bench: SiteBench) throws -> SiteJudge {
        try #require(bench.room.judge(now: bench.bench.now.sinceBoot))
    }

    @Test("Document, entries, head, hours and the box's own certificate are written in one, and count then")
    func takes() throws {
        var bench = try cutOff()
        let entries = try (1...100).map { try ModelSite.entry(UInt8($0)) }
        let time = ModelSite.start + 71 * Self.hour
        let own = try ModelSite.certificate(expiry: time + ModelSite.day)
        let other = try ModelSite.certificate(boxKey: ModelSite.x25519(23), expiry: time + ModelSite.day)
        let document = try ModelSite.document(4)
        let head = try ModelSite.head(101, of: entries, time: time, document: 4)
        bring(
            try bundle(document, certificates: [other, own], entries: entries, head: head), to: &bench,
            holdingVault: true)
        #expect(bench.site?.head?.facts.number == 1 && bench.site?.revocations.count == 0, "nothing counts yet")
        #expect(reported(bench) == nil && bench.commands.count == 1)
        bench.answerAll()
        guard case .changeSite(let change)? = bench.commands.first else {
            Issue.record("nothing was written")
            return
        }
        #expect(change.document == document.bytes && change.head == head.bytes && change.added.count == 100)
        #expect(change.certificate?.bytes == own.bytes && change.hours?.spent == 2 && change.time != nil)
        #expect(bench.site?.revocations.count == 100 && bench.site?.head?.facts.number == 101)
        let report = try #require(reported(bench))
        #expect(report.isNews && report.hasCertificate && report.entriesAdded == 100 && report.headNumber == 101)
        #expect(report.documentVersion == "1.4" && (22...23).contains(report.hoursLeft))
        #expect(bench.room.listing(now: bench.bench.now.sinceBoot)?.hoursLeft == report.hoursLeft)
        guard case .done? = bench.replies.last else {
            Issue.record("the command waits")
            return
        }
    }

    @Test("The same bundle again changes nothing, is written nowhere, and is no failure")
    func again() throws {
        var bench = try cutOff()
        let bytes = try bundle(
            entries: [try ModelSite.entry(1)],
            head: try ModelSite.head(2, of: [try ModelSite.entry(1)], time: ModelSite.start + 72 * Self.hour))
        bring(bytes, to: &bench)
        let (site, kept) = (bench.site, bench.kept)
        bench.forget()
        bring(bytes, to: &bench)
        #expect(reported(bench)?.isNews == false && failure(bench) == nil)
        #expect(bench.site == site && bench.kept == kept && bench.commands.isEmpty)
    }

    @Test("What is older, of another site, forged or does not fit is refused with the reason, and nothing of it counts")
    func refuses() throws {
        let time = ModelSite.start + 72 * Self.hour
        let head = try ModelSite.head(2, time: time)
        let entry = try ModelSite.entry(1)
        var broken = try bundle(head: head)
        broken[broken.count - 1] ^= 1
        let cases: [(String, [UInt8])] = [
            ("older than this box's data: the site document", try bundle(try ModelSite.document(2), head: head)),
            ("older than this box's data: a signed status", try bundle(head: try ModelSite.head(0, time: time))),
            (
                "older than this box's data: a signed status",
                try bundle(head: try ModelSite.head(1, time: ModelSite.start - 1))
            ),
            ("belongs to another site", try bundle(try ModelSite.document(root: .stranger), head: head)),
            ("refused: a revocation entry", try bundle(entries: [entry, try forged(entry)], head: head)),
            ("does not include every revocation", try bundle(entries: [entry], head: head)),
            (
                "refused: a signed status needs a newer",
                try bundle(head: try ModelSite.head(2, time: time, generation: 2))
            ),
            (
                "refused: a signed status is from an issuer",
                try bundle(head: try ModelSite.head(2, time: time, by: .phones))
            ),
            ("refused: a signed status is not signed", broken),
            (
                "refused: the certificate",
                try bundle(
                    certificates: [try forged(ModelSite.certificate(expiry: time + ModelSite.day))], head: head)
            ),
            (
                "refused: the certificate",
                try bundle(
                    certificates: [try ModelSite.certificate(expiry: time + ModelSite.day, by: .phones)], head: head)
            ),
            ("ends too early", [UInt8](try bundle(head: head).dropLast())),
            ("not a bundle", []),
            ("not a bundle", [UInt8]("#!/bin/sh".utf8)),
            ("damaged", try bundle(head: head) + [0]),
        ]
        for (reason, bytes) in cases {
            var bench = try cutOff()
            let (site, kept) = (bench.site, bench.kept)
            bring(bytes, to: &bench)
            let (kind, what) = try #require(failure(bench), "\(reason)")
            #expect(kind == .invalid && what.contains(reason), "\(what)")
            #expect(bench.site == site && bench.kept == kept && bench.commands.isEmpty && reported(bench) == nil)
        }
    }

    private func forged(_ entry: ClaimedRevocation) throws -> ClaimedRevocation {
        try ClaimedRevocation(parsing: [UInt8](ModelSite.entry(2).bytes.dropLast(64)) + entry.bytes.suffix(64))
    }

    private func forged(_ certificate: ClaimedSiteBoxCertificate) throws -> ClaimedSiteBoxCertificate {
        let signature = try ModelSite.certificate().bytes.suffix(64)
        return try ClaimedSiteBoxCertificate(parsing: [UInt8](certificate.bytes.dropLast(64)) + signature)
    }

    @Test("Hours count from when the head was signed; an old one brings what was taken back, and no hours")
    func hours() throws {
        for (age, left) in [(UInt64(0), UInt64(24)), (3, 21), (23, 1), (24, 0), (70, 0)] {
            var bench = try cutOff()
            let clock = try #require(ModelSite.box.clock(bench.bench.now.sinceBoot))
            let known = try #require(bench.site?.seconds(at: clock))
            let entry = try ModelSite.entry(1)
            bring(
                try bundle(entries: [entry], head: try ModelSite.head(2, of: [entry], time: known - age * Self.hour)),
                to: &bench)
            #expect(reported(bench)?.hoursLeft == left && bench.site?.revocations.count == 1, "\(age) hours old")
            #expect(try judge(bench).check.site.allowance.isPaid(at: clock) == (left > 0), "\(age) hours old")
        }
    }

    @Test(
        "A certificate for another key is not taken; an older one, or one that is over, does not take the place of the held one"
    )
    func certificates() throws {
        let time = ModelSite.start + 10 * Self.hour
        for (certificate, counts) in [
            (try ModelSite.certificate(boxKey: ModelSite.x25519(23), expiry: time + ModelSite.day), false),
            (try ModelSite.certificate(expiry: ModelSite.start + ModelSite.day - 1), false),
            (try ModelSite.certificate(expiry: ModelSite.start + ModelSite.day), false),
            (try ModelSite.certificate(expiry: ModelSite.start + ModelSite.day + 1), true),
        ] {
            var bench = try cutOff(hours: 10)
            bring(try bundle(certificates: [certificate], head: try ModelSite.head(2, time: time)), to: &bench)
            #expect(reported(bench)?.hasCertificate == counts && reported(bench)?.isNews == true)
            #expect(bench.kept?.certificate.bytes == certificate.bytes || !counts)
        }
        var bench = try cutOff()
        let over = try ModelSite.certificate(expiry: ModelSite.start + ModelSite.day + 1)
        bring(
            try bundle(certificates: [over], head: try ModelSite.head(2, time: ModelSite.start + 72 * Self.hour)),
            to: &bench)
        #expect(reported(bench)?.isNews == true && reported(bench)?.hasCertificate == false && failure(bench) == nil)
    }

    @Test("A new generation begins with the entries of the bundle and its hours")
    func newGeneration() throws {
        var bench = try cutOff()
        let old = try ModelSite.entry(9)
        bring(
            try bundle(entries: [old], head: try ModelSite.head(2, of: [old], time: ModelSite.start + 72 * Self.hour)),
            to: &bench)
        let entry = try ModelSite.entry(1, generation: 2)
        let head = try ModelSite.head(1, of: [entry], time: ModelSite.start + 5, generation: 2, document: 4)
        bring(try bundle(try ModelSite.document(4, generation: 2), entries: [entry], head: head), to: &bench)
        #expect(failure(bench) == nil && reported(bench)?.generation == "1.2" && reported(bench)?.hoursLeft == 24)
        #expect(bench.kept?.entries == [entry.bytes] && bench.kept?.head == head.bytes)
        #expect(bench.site?.revocations.count == 1 && bench.site?.head?.facts.time == ModelSite.start + 5)
    }

    @Test("What was verified by a document that a newer one has replaced meanwhile is brought again")
    func overtaken() throws {
        var bench = try SiteBench.member()
        let bytes = try bundle(head: try ModelSite.head(2, time: ModelSite.start + 60))
        bench.run { $0.imports(Self.control, [UInt8](bytes.prefix(400)), isLast: false, &$1) }
        bench.say(.document(try ModelSite.document(4)))
        bench.run { $0.imports(Self.control, [UInt8](bytes.dropFirst(400)), isLast: true, &$1) }
        #expect(failure(bench)?.0 == .busy && bench.site?.head?.facts.number == 1)
    }

    @Test("Entries that a link brings meanwhile are kept, and the bundle's head is refused that does not count them")
    func meanwhile() throws {
        var bench = try SiteBench.member()
        let bytes = try bundle(
            entries: [try ModelSite.entry(1)],
            head: try ModelSite.head(2, of: [try ModelSite.entry(1)], time: ModelSite.start + 60))
        bench.run { $0.imports(Self.control, [UInt8](bytes.prefix(400)), isLast: false, &$1) }
        bench.say(.entries([try ModelSite.entry(2)]))
        bench.run { $0.imports(Self.control, [UInt8](bytes.dropFirst(400)), isLast: true, &$1) }
        #expect(failure(bench)?.1.contains("does not include every revocation") == true)
        #expect(bench.site?.revocations.count == 1)
    }

    @Test("It waits for what the vault is writing, and a link goes on behind it")
    func waits() throws {
        var bench = try SiteBench.member()
        bench.forget()
        bench.say(.entries([try ModelSite.entry(1)]), holdingVault: true)
        let head = try ModelSite.head(2, of: [try ModelSite.entry(1)], time: ModelSite.start + 60)
        bring(try bundle(entries: [try ModelSite.entry(1)], head: head), to: &bench, holdingVault: true)
        #expect(bench.commands.count == 1 && reported(bench) == nil)
        bench.answerAll()
        #expect(reported(bench)?.headNumber == 2 && bench.messages.last == .took(number: 2))
        bench.say(.head(try ModelSite.head(2, of: [try ModelSite.entry(1)], time: ModelSite.start + 120)))
        #expect(bench.site?.head?.facts.time == ModelSite.start + 120)
    }

    @Test("A vault that fails changes nothing, and the command hears why")
    func vaultFails() throws {
        var bench = try cutOff()
        let site = bench.site
        bench.vaultFails = true
        bring(try bundle(head: try ModelSite.head(2, time: ModelSite.start + 72 * Self.hour)), to: &bench)
        #expect(failure(bench)?.0 == .fault && bench.site == site)
        bench.vaultFails = false
        bench.forget()
        bring(try bundle(head: try ModelSite.head(2, time: ModelSite.start + 72 * Self.hour)), to: &bench)
        #expect(reported(bench)?.isNews == true)
    }

    @Test("One bundle at a time; a command that goes away leaves nothing, and one whose box leaves hears so")
    func turns() throws {
        var bench = try cutOff()
        let bytes = try bundle(head: try ModelSite.head(2, time: ModelSite.start + 72 * Self.hour))
        bench.run { $0.imports(Sample.control(7), [UInt8](bytes.prefix(40)), isLast: false, &$1) }
        bring(bytes, to: &bench)
        #expect(failure(bench)?.0 == .busy && reported(bench) == nil)
        bench.run { $0.controlLeft(Sample.control(7), &$1) }
        bench.forget()
        bring(bytes, to: &bench)
        #expect(reported(bench)?.isNews == true)
        bench.run { $0.imports(Sample.control(7), [UInt8](bytes.prefix(40)), isLast: false, &$1) }
        bench.forget()
        bench.run { _ = $0.leaves(Sample.control(8), owning: [], &$1) }
        #expect(failure(bench)?.1.contains("leaving its site") == true)
        bench.forget()
        bring(bytes, to: &bench)
        #expect(failure(bench)?.0 == .notFound)
    }
}
