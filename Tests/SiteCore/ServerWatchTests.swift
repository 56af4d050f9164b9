import SiteLink
import SiteTrust
import Testing

@testable import SiteCore

private typealias Fixture = ServerFixture

@Suite("What administrators hear of a server")
struct ServerWatchTests {
    private func alarms(_ server: TestServer) -> [SiteAlarm] { server.alarms }

    private func figures(_ server: TestServer) -> ServerFigures { ServerFigures(of: server.machine, now: server.now) }

    private func warnings(_ effects: [SiteEffect]) -> [String] {
        effects.compactMap { if case .log(let line) = $0, line.level == .warning { line.text } else { nil } }
    }

    private func survey(silent: Int = 0, wipes: Int = 0, asking: Int = 0) -> SiteSurvey {
        SiteSurvey(
            oldestContact: Fixture.start - 30 * Fixture.day, silentBoxes: silent, silentDays: 7, wipes: wipes,
            askingBoxes: asking)
    }

    private func seen(_ effects: [SiteEffect]) throws -> [SeenBox] {
        try #require(effects.compactMap { if case .survey(let seen, _) = $0 { seen } else { nil } }.first)
    }

    private func hello(_ program: String) throws -> SiteHello {
        try SiteHello(
            document: Fixture.ordinal(3), generation: Fixture.ordinal(1), number: 0, time: 0,
            program: Array(program.utf8))
    }

    @Test("Boxes that no server has seen for days are an alarm, until they link again")
    func silent() throws {
        var server = try TestServer()
        #expect(alarms(server) == [])
        let lines = warnings(server.feed(.surveyed(survey(silent: 3))))
        #expect(alarms(server) == [.silent(3, days: 7)])
        #expect(lines.count == 1 && lines[0].contains("3 boxes have not linked to the site for over 7 days"))
        _ = server.feed(.surveyed(survey()))
        #expect(alarms(server) == [])
    }

    @Test(
        "Destroyed passwords are an alarm, which is in the log again where there are more, and not where there are fewer"
    )
    func wiped() throws {
        var server = try TestServer()
        #expect(warnings(server.feed(.surveyed(survey(wipes: 2)))).count == 1)
        #expect(warnings(server.feed(.surveyed(survey(wipes: 1)))) == [])
        #expect(warnings(server.feed(.surveyed(survey(wipes: 1)))) == [])
        #expect(warnings(server.feed(.surveyed(survey(wipes: 2)))).count == 1)
        #expect(alarms(server) == [.wiped(2)])
    }

    @Test("Boxes that ask for as many codes as they may, for people of their own, are an alarm for a day")
    func asking() throws {
        var server = try TestServer()
        #expect(warnings(server.feed(.surveyed(survey(asking: 1)))).count == 1)
        #expect(alarms(server) == [.selfEnrolments(boxes: 1)])
        #expect(warnings(server.feed(.surveyed(survey(asking: 1)))) == [])
        #expect(warnings(server.feed(.surveyed(survey(asking: 2)))).count == 1)
        _ = server.feed(.surveyed(survey()))
        #expect(alarms(server) == [])
    }

    @Test("Clocks that differ by a quarter of what stops a server are an alarm, in either direction")
    func clock() throws {
        for (difference, alarmed) in [(14, false), (15, true), (-15, true), (60, true), (-14, false)] {
            var clock = SiteClock()
            clock.take(database: 1_800_000_000, own: UInt64(1_800_000_000 - difference), now: .seconds(1))
            #expect(clock.alarm == (alarmed ? .clock(Int64(difference)) : nil), "\(difference)")
        }
        var stopped = SiteClock()
        stopped.take(database: 1_800_000_000, own: 1_800_000_061, now: .seconds(1))
        #expect(stopped.alarm == nil && stopped.isDoubtful && stopped.difference == -61)
    }

    @Test("Versions are compared by their first two numbers, and what is no version is unknown")
    func versions() {
        let server = ProgramVersion(program: Array("boxsited 2.3.1".utf8))
        let ages: [(String, ProgramAge)] = [
            ("boxagentd 2.3.1", .same), ("boxagentd 2.3.9", .same), ("boxagentd 2.2.9", .older),
            ("boxagentd 1.9.0", .older), ("boxagentd 2.4.0", .newer), ("boxagentd 10.0.0", .newer),
            ("boxagentd", .unknown),
            ("", .unknown), ("boxagentd 2.3", .unknown), ("boxagentd 2.3.x", .unknown), ("boxagentd 2..1", .unknown),
            ("boxagentd 99999999999999999999.0.0", .unknown),
        ]
        for (program, age) in ages { #expect(ProgramAge(Array(program.utf8), beside: server) == age, "\(program)") }
        #expect(ProgramAge(Array("boxagentd 2.3.1".utf8), beside: nil) == .unknown)
    }

    @Test("Boxes with an older version are counted while they are linked, and are an alarm")
    func outdated() throws {
        var server = try TestServer(version: ProgramVersion(program: Array("boxsited 2.3.1".utf8)))
        let (old, _) = try server.link(1, hello("boxagentd 2.2.0"))
        _ = try server.link(2, hello("boxagentd 2.3.0"))
        #expect(figures(server).linked.filter { $0.value > 0 } == [.older: 1, .same: 1])
        #expect(alarms(server) == [.outdated(1)])
        // The box reconnects with the new version before the old link is known to be dead.
        _ = try server.link(1, hello("boxagentd 2.3.0"))
        _ = server.feed(.closed(old))
        #expect(figures(server).linked.filter { $0.value > 0 } == [.same: 2])
        #expect(alarms(server) == [])
    }

    @Test("A linked box is written down as seen once an hour, a bounded number of them at once")
    func seenHourly() throws {
        let many = SiteLimits.seenAtOnce + 5
        var server = try TestServer(boxes: (1...Int64(many)).map { Fixture.box($0) })
        for box in 1...many { _ = try server.link(box, hello("boxagentd 0.1.0"), from: "192.0.2.\(box % 200)") }
        let first = try seen(server.feed(.surveyDue))
        #expect(first.count == SiteLimits.seenAtOnce && first[0].program == Array("boxagentd 0.1.0".utf8))
        #expect(try seen(server.feed(.surveyDue)).count == 5)
        #expect(try seen(server.feed(.surveyDue)) == [])
        _ = server.pass(3_599)
        #expect(try seen(server.feed(.surveyDue)) == [])
        _ = server.pass(1)
        #expect(try seen(server.feed(.surveyDue)).count == SiteLimits.seenAtOnce)
    }

    @Test("Every connection that comes to nothing is counted by its reason, once")
    func refusals() throws {
        var server = try TestServer()
        _ = try server.link(1)
        _ = server.feed(.closed(server.open()))
        _ = server.refresh(boxes: [Fixture.box(2, .removed)])
        _ = try server.link(2)
        let (third, _) = try server.link(3)
        _ = server.refresh(boxes: [Fixture.box(3, .suspended)])
        _ = server.feed(.closed(third))
        let tally = figures(server).links
        #expect(tally.came == 4 && tally.served == 2)
        #expect(tally.refused == [.unproven: 1, .refused(.removed): 1, .refused(.suspended): 1])
        for _ in 0..<SiteLimits.unprovenPerNetwork { _ = server.open() }
        #expect(
            figures(server).unproven == SiteLimits.unprovenPerNetwork && figures(server).links.refused[.noPlace] == nil)
        _ = server.open()
        #expect(figures(server).links.refused[.noPlace] == 1)
    }

    @Test("Boxes are counted by their state, whatever becomes of them")
    func boxes() throws {
        var server = try TestServer()
        #expect(figures(server).boxes == [.joined: 3])
        _ = server.refresh(boxes: [Fixture.box(1, .suspended), Fixture.box(2, .removed), Fixture.box(3)])
        #expect(figures(server).boxes.filter { $0.value > 0 } == [.suspended: 1, .removed: 1, .joined: 1])
        _ = server.refresh(boxes: [Fixture.box(1)])
        #expect(figures(server).boxes.filter { $0.value > 0 } == [.removed: 1, .joined: 2])
    }

    @Test("A standby that is missing is an alarm and in the log, and so is that it is back")
    func standby() throws {
        var server = try TestServer()
        func news(_ state: StandbyState) -> SiteEvent {
            .refreshed(
                SiteNews(
                    time: server.time, ownTime: server.time, generation: Fixture.ordinal(1), number: 0, standby: state))
        }
        #expect(warnings(server.feed(news(.missing))).count == 1)
        #expect(alarms(server) == [.standby(.missing)] && figures(server).health.standby == .missing)
        #expect(warnings(server.feed(news(.missing))) == [])
        #expect(
            server.feed(news(.named)).contains(.log(SiteLogLine(.notice, "the database has a standby again"))))
        #expect(alarms(server) == [])
    }

    @Test("A database that stores nothing is an alarm ten seconds after the last change, and over with the next")
    func writes() throws {
        var server = try TestServer()
        _ = server.feed(.triedToWrite(nil))
        #expect(figures(server).health.storedSeconds == 0)
        _ = server.pass(9)
        #expect(warnings(server.feed(.triedToWrite("commits wait: cure"))) == [] && alarms(server) == [])
        #expect(warnings(server.pass(3)).count == 1)
        #expect(alarms(server) == [.writes("commits wait: cure", seconds: 12)])
        #expect(warnings(server.pass(8) + server.feed(.triedToWrite("commits wait: cure"))) == [], "it is said once")
        #expect(figures(server).health.storedSeconds == 20)
        let lines = server.feed(.triedToWrite(nil))
        #expect(lines.contains(.log(SiteLogLine(.notice, "the database stores changes again"))))
        #expect(alarms(server) == [])
    }

    @Test("A server that has stored nothing since its start counts from the first failure")
    func nothingStored() throws {
        var server = try TestServer()
        _ = server.feed(.triedToWrite("full: cure"))
        #expect(alarms(server) == [] && figures(server).health.storedSeconds == nil)
        _ = server.pass(10)
        #expect(alarms(server) == [.writes("full: cure", seconds: 10)])
    }

    @Test("What the directory is wrong in is an alarm beside the others, and is over when it is right again")
    func directory() throws {
        var server = try TestServer()
        _ = server.feed(.directorySaid([.silent(400, why: nil)]))
        #expect(alarms(server) == [.directory(.silent(400, why: nil))])
        #expect(warnings(server.feed(.surveyed(survey()))).count == 1)
        _ = server.feed(.directorySaid([.silent(460, why: nil)]))
        #expect(warnings(server.feed(.surveyed(survey()))) == [])
        _ = server.feed(.directorySaid([]))
        #expect(alarms(server) == [])
    }

    @Test("An audit table that does not go on from what the server saw is an alarm, in the log at once")
    func audit() throws {
        var server = try TestServer()
        _ = server.feed(.surveyed(survey()))
        #expect(warnings(server.feed(.auditDiffers(.replaced(7)))).count == 1)
        _ = server.feed(.surveyed(survey()))
        #expect(alarms(server) == [.audit(.replaced(7))])
    }

    @Test("An alarm that comes is in the log at once, and says nothing again of one that stands")
    func oneByOne() throws {
        var log = AlarmLog()
        #expect(log.due([.suspended(1)], now: .seconds(1)) == [.suspended(1)])
        #expect(log.due([.suspended(1), .silent(1, days: 7)], now: .seconds(2)) == [.silent(1, days: 7)])
        #expect(log.due([.suspended(1), .silent(9, days: 7)], now: .seconds(3)) == [])
        #expect(log.due([.suspended(2), .silent(9, days: 7)], now: .seconds(4)) == [.suspended(2)])
        #expect(log.due([.suspended(2), .silent(9, days: 7)], now: .seconds(86_402)) == [.silent(9, days: 7)])
    }

    @Test("Each kind of alarm says what to do, and is a kind of the metrics")
    func kinds() {
        let all: [SiteAlarm] = [
            .ends([.boxes], expiry: 1, days: 2), .lacks([Fixture.issuer(.boxes, .boxes)]), .suspended(1),
            .silent(1, days: 7), .outdated(1), .document(Fixture.ordinal(2)), .clock(-20), .wiped(1),
            .selfEnrolments(boxes: 2), .standby(.missing), .writes("commits wait: cure", seconds: 12),
            .directory(.unclear(1, why: "it is slow")), .audit(.cut(after: 1, newest: 2)),
            .crowded(mostFrom: "192.0.2.1"),
        ]
        #expect(Set(all.map(\.kind)) == Set(SiteAlarm.Kind.allCases))
        #expect(all.allSatisfy { $0.text.contains(":") && $0.text.utf8.count < 400 })
        #expect(SiteAlarm.clock(-20).text.contains("20 seconds behind"))
    }
}
