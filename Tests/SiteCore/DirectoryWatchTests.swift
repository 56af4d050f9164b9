import SiteTrust
import Testing

@testable import SiteCore

/// A site with users 1, 2, … and a clock.
private struct Scene {
    var watch: DirectoryWatch
    var now: Duration = .zero
    var members: [DirectoryMember]
    var leavers: [DirectoryLeaver] = []
    var moved: [Int64] = []
    var seen: [Int64] = []

    init(_ count: Int64, seen: Bool = true, _ terms: DirectoryTerms = DirectoryTerms(probe: "probe")) throws {
        watch = DirectoryWatch(terms, now: .zero)
        let groups = [try #require(SiteGroups([3, 7]))]
        members = (1...count).map { DirectoryMember(row: $0, name: "u\($0)", wasSeen: seen, groups: groups) }
    }

    /// Runs one whole round. `answer` gives each name's answer, between two answers of the probe.
    mutating func round(
        probeBefore: DirectoryAnswer = .there(groups: []), probe: DirectoryAnswer = .there(groups: []),
        _ answer: (Int64) -> DirectoryAnswer
    ) throws {
        now += .seconds(60)
        let row = watch.pageDue(now: now)
        #expect(row == 0)
        let looked = watch.errand(for: members)
        let errand = try #require(looked)
        let answers = [probeBefore] + errand.members.map { answer($0.row) } + [probe]
        if let trusted = watch.trusted(answers, to: errand) {
            let found = watch.hear(trusted, about: errand.members)
            (seen, moved) = (found.seen, found.moved.map(\.row))
            let end = watch.errand(for: [])
            #expect(end == nil)
            leavers = watch.endRound(now: now)
        } else {
            watch.giveUp()
            leavers = []
        }
    }
}

private let there = DirectoryAnswer.there(groups: nil)

struct DirectoryWatchTests {
    @Test("Who is gone in one round stays, and who is gone in two in a row is taken back") func twoRounds() throws {
        var scene = try Scene(3)
        try scene.round { $0 == 2 ? .gone : there }
        #expect(scene.leavers.isEmpty)
        try scene.round { $0 == 2 ? .gone : there }
        #expect(scene.leavers.map(\.row) == [2] && scene.leavers.map(\.reason) == [.left])
    }

    @Test("Who comes back between two rounds, or of whom nothing clear is said, begins anew") func interrupted() throws
    {
        for between in [there, .unclear("timeout")] {
            var scene = try Scene(3)
            try scene.round { $0 == 2 ? .gone : there }
            try scene.round { $0 == 2 ? between : there }
            try scene.round { $0 == 2 ? .gone : there }
            #expect(scene.leavers.isEmpty)
        }
    }

    @Test("What is heard while the probe is not there counts for nothing") func probeGone() throws {
        for probe in [DirectoryAnswer.gone, .unclear("offline"), .notAllowed("expired")] {
            for isBefore in [true, false] {
                var scene = try Scene(3)
                for _ in 0..<4 {
                    try scene.round(probeBefore: isBefore ? probe : there, probe: isBefore ? there : probe) { _ in
                        .gone
                    }
                }
                #expect(scene.leavers.isEmpty)
                guard case .silent(_, let why?) = scene.watch.alarms(now: scene.now).first else {
                    Issue.record("no alarm")
                    return
                }
                #expect(!why.isEmpty)
            }
        }
    }

    @Test("An outage between two rounds has the absent begin anew") func outageBetween() throws {
        var scene = try Scene(3)
        try scene.round { _ in .gone }
        try scene.round(probe: .gone) { _ in .gone }
        try scene.round { _ in .gone }
        #expect(scene.leavers.isEmpty)
    }

    @Test("Whom the directory never had is told of, and not taken back") func strangers() throws {
        var scene = try Scene(2, seen: false)
        for _ in 0..<3 { try scene.round { _ in .gone } }
        #expect(scene.leavers.isEmpty)
        #expect(scene.watch.alarms(now: scene.now) == [.strangers(2, names: ["u1", "u2"])])
    }

    @Test("Whom the directory has by another name is told of with that name, and not taken back")
    func renamed() throws {
        var scene = try Scene(3)
        for _ in 0..<3 { try scene.round { .there(groups: nil, name: $0 == 2 ? "anna" : nil) } }
        #expect(scene.leavers.isEmpty)
        let alarms = scene.watch.alarms(now: scene.now)
        #expect(alarms == [.renamed(1, names: ["u2 is anna"])])
        #expect(alarms[0].text.contains("users whose name in the directory is different: 1 (u2 is anna)"))
    }

    @Test("Who is there but not allowed is taken back, also where never seen before") func notAllowed() throws {
        var scene = try Scene(2, seen: false)
        for _ in 0..<2 { try scene.round { $0 == 1 ? .notAllowed("expired") : there } }
        #expect(scene.leavers.map(\.reason) == [.notAllowed("expired")])
        #expect(scene.seen == [1, 2])
    }

    @Test("Local users are not looked up") func localUsers() throws {
        var scene = try Scene(2, DirectoryTerms(probe: "probe", localUsers: ["u1"]))
        for _ in 0..<2 { try scene.round { _ in .gone } }
        #expect(scene.leavers.map(\.row) == [2])
    }

    @Test("More than the limit waits for an administrator, who has those taken back that are still gone") func accept()
        throws
    {
        var scene = try Scene(4)
        for _ in 0..<2 { try scene.round { $0 == 4 ? there : .gone } }
        #expect(scene.leavers.count == 3 && scene.leavers.allSatisfy { !$0.isAccepted })
        scene.watch.halt(scene.leavers)
        #expect(scene.watch.alarms(now: scene.now) == [.halted(3, names: ["u1", "u2", "u3"])])
        let count = scene.watch.accept()
        #expect(count == 3)
        try scene.round { $0 > 2 ? there : .gone }
        #expect(scene.leavers.filter(\.isAccepted).map(\.row) == [1, 2])
        #expect(scene.watch.alarms(now: scene.now).isEmpty)
    }

    @Test("Who leaves after an administrator has agreed is not among those agreed to") func acceptIsNoBlank() throws {
        var scene = try Scene(4)
        for _ in 0..<2 { try scene.round { $0 == 1 ? .gone : there } }
        scene.watch.halt(scene.leavers)
        _ = scene.watch.accept()
        try scene.round { $0 <= 2 ? .gone : there }
        try scene.round { $0 <= 2 ? .gone : there }
        #expect(scene.leavers.map(\.isAccepted) == [true, false])
    }

    @Test("Of whom comes back after an administrator has agreed, and leaves again, an administrator is asked again")
    func acceptEnds() throws {
        var scene = try Scene(4)
        for _ in 0..<2 { try scene.round { $0 == 1 ? .gone : there } }
        scene.watch.halt(scene.leavers)
        _ = scene.watch.accept()
        try scene.round { _ in there }
        for _ in 0..<2 { try scene.round { $0 == 1 ? .gone : there } }
        #expect(scene.leavers.map(\.isAccepted) == [false])
    }

    @Test("The next round begins a minute after the last began, and silence is told of after three") func times() throws
    {
        var scene = try Scene(1)
        try scene.round { _ in there }
        let early = scene.watch.pageDue(now: scene.now + .seconds(59))
        #expect(early == nil)
        #expect(scene.watch.alarms(now: scene.now + .seconds(180)).isEmpty)
        #expect(scene.watch.alarms(now: scene.now + .seconds(181)) == [.silent(181, why: nil)])
    }

    @Test("A page that is answered in part does not count") func partial() throws {
        var scene = try Scene(2)
        _ = scene.watch.pageDue(now: .zero)
        let looked = scene.watch.errand(for: scene.members)
        let trusted = scene.watch.trusted([there, .gone, there], to: try #require(looked))
        #expect(trusted == nil)
    }
}

struct DirectoryTermsTests {
    private static let terms = DirectoryTerms(
        probe: "p", mappings: [.init(name: "ward3", number: 3), .init(name: "ward9", number: 9)])

    @Test("Groups that are mapped follow the directory, and others stay") func mapping() throws {
        let groups = try #require(SiteGroups([3, 7]))
        #expect(Self.terms.groups(groups, ofMemberOf: ["ward9"])?.numbers == [7, 9])
        #expect(Self.terms.groups(groups, ofMemberOf: [])?.numbers == [7])
        #expect(Self.terms.groups(try #require(SiteGroups([3])), ofMemberOf: ["other"]) == nil)
    }

    @Test("Who is in no group any more is taken back, and who is in another one is moved") func moved() throws {
        var scene = try Scene(2, Self.terms)
        scene.members[0] = DirectoryMember(row: 1, name: "u1", wasSeen: true, groups: [try #require(SiteGroups([3]))])
        for _ in 0..<2 { try scene.round { $0 == 1 ? .there(groups: []) : .there(groups: ["ward9"]) } }
        #expect(scene.leavers.map(\.reason) == [.noGroup] && scene.moved == [2])
    }

    @Test("Where it is not known who is in which group, nobody is moved") func unknownGroups() throws {
        var scene = try Scene(2, Self.terms)
        for _ in 0..<2 { try scene.round { _ in .there(groups: nil) } }
        #expect(scene.leavers.isEmpty && scene.moved.isEmpty)
    }

    @Test(
        "One is always allowed, then a quarter of all, and never more than the limit",
        arguments: [
            (1, 0, 1, true), (2, 0, 7, false), (2, 0, 8, true), (20, 0, 400, true), (21, 0, 400, false),
            (1, 20, 400, false), (1, 1, 3, false),
        ])
    func limit(leaving: Int, recent: Int, users: Int, allowed: Bool) {
        #expect(DirectoryTerms(probe: "p").allows(leaving, recent: recent, users: users) == allowed)
    }
}
