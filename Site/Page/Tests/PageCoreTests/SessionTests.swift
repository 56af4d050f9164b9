import PageCore
import Testing

@Suite("Sessions")
struct SessionTests {
    private func begin(_ sessions: inout Sessions, _ name: String = "anna", now: UInt64 = 0) throws -> [UInt8] {
        let token = sessions.begin(administrator: name, credentialID: [1], now: now)
        return try #require(token)
    }

    @Test("A session is found by its token, and by no other one")
    func found() throws {
        var sessions = Sessions()
        func find(_ token: [UInt8], now: UInt64) -> PageSession? { sessions.find(token, now: now) }
        let token = try begin(&sessions)
        #expect(find(token, now: 1)?.administrator == "anna")
        #expect(find(randomBytes(Sessions.tokenBytes), now: 1) == nil)
        #expect(find([], now: 1) == nil)
        sessions.end(token)
        #expect(find(token, now: 1) == nil)
    }

    @Test("A session ends when nobody uses it, and at its end also when somebody does")
    func ends() throws {
        var sessions = Sessions()
        func find(_ token: [UInt8], now: UInt64) -> PageSession? { sessions.find(token, now: now) }
        let idle = try begin(&sessions)
        #expect(sessions.isAlive(idle, now: PageLimits.sessionIdleSeconds - 1))
        #expect(find(idle, now: PageLimits.sessionIdleSeconds) == nil)
        let busy = try begin(&sessions)
        var now: UInt64 = 0
        while now < PageLimits.sessionSeconds - 600 {
            now += 600
            #expect(find(busy, now: now) != nil)
        }
        #expect(find(busy, now: PageLimits.sessionSeconds) == nil)
    }

    @Test("Looking whether a session is there does not keep it")
    func looking() throws {
        var sessions = Sessions()
        let token = try begin(&sessions)
        for now in 0..<PageLimits.sessionIdleSeconds { #expect(sessions.isAlive(token, now: now)) }
        #expect(!sessions.isAlive(token, now: PageLimits.sessionIdleSeconds))
    }

    @Test("The oldest session of an administrator makes room, and another's is never pushed out")
    func bounds() throws {
        var sessions = Sessions()
        let other = try begin(&sessions, "bob")
        var tokens: [[UInt8]] = []
        for now in 0..<UInt64(PageLimits.sessionsPerAdministrator + 1) { tokens.append(try begin(&sessions, now: now)) }
        #expect(
            !sessions.isAlive(tokens[0], now: 10) && tokens.dropFirst().allSatisfy { sessions.isAlive($0, now: 10) })
        #expect(sessions.isAlive(other, now: 10))
        while sessions.count < PageLimits.sessions { _ = try begin(&sessions, "c\(sessions.count)", now: 10) }
        let none = sessions.begin(administrator: "late", credentialID: nil, now: 10)
        let one = sessions.begin(administrator: "late", credentialID: nil, now: 10 + PageLimits.sessionIdleSeconds)
        #expect(none == nil && one != nil)
    }

    @Test("The passkey is asked about once each half minute")
    func checks() throws {
        var sessions = Sessions()
        let token = try begin(&sessions)
        var due: [UInt64] = []
        for now in 0..<90 as Range<UInt64> where sessions.isDueForCheck(token, now: now) { due.append(now) }
        #expect(due == [30, 60])
    }

    @Test("Who is removed is signed out everywhere")
    func removed() throws {
        var sessions = Sessions()
        let (first, second, other) = (try begin(&sessions), try begin(&sessions), try begin(&sessions, "bob"))
        sessions.endAll(of: "anna")
        #expect(
            !sessions.isAlive(first, now: 1) && !sessions.isAlive(second, now: 1) && sessions.isAlive(other, now: 1))
    }

    @Test("A bucket gives its burst, then so many each second")
    func bucket() {
        var bucket = TokenBucket(burst: 3, perSecond: 2)
        func taken(_ count: Int, _ now: Double) -> [Bool] { (0..<count).map { _ in bucket.take(now: now) } }
        #expect(taken(5, 10) == [true, true, true, false, false])
        #expect(taken(2, 10.5) == [true, false])
        #expect(taken(5, 100) == [true, true, true, false, false])
        #expect(taken(1, 50) == [false])
    }

    @Test("A session has requests of its own, and none after its end")
    func requests() throws {
        var sessions = Sessions()
        let (anna, bob) = (try begin(&sessions), try begin(&sessions, "bob"))
        func takes(_ token: [UInt8], _ now: Double) -> Bool? { sessions.take(token, now: now) }
        for _ in 0..<Int(PageLimits.visitorBurst) { #expect(takes(anna, 1) == true) }
        #expect(takes(anna, 1) == false && takes(bob, 1) == true && takes(anna, 2) == true)
        sessions.end(anna)
        #expect(takes(anna, 3) == nil && takes([], 3) == nil)
    }

    @Test("A form's token is good for its holder alone")
    func tokens() {
        let forms = FormTokens()
        let token = forms.token(for: [1])
        #expect(forms.isGood(token, for: [1]))
        #expect(!forms.isGood(token, for: [2]) && !forms.isGood(nil, for: [1]) && !forms.isGood("", for: [1]))
        #expect(!FormTokens().isGood(token, for: [1]) && !forms.isGood(token + "A", for: [1]))
    }

    @Test("The oldest stream of a session makes room, another's never, and of all there are so many")
    func streams() {
        var streams = LiveStreams()
        let other = streams.begin(of: [2])
        let own = (0..<PageLimits.streamsPerSession).map { _ in streams.begin(of: [1]) }
        let newest = streams.begin(of: [1])
        func isOpen(_ stream: UInt64?) -> Bool { stream.map { streams.isOpen($0) } ?? false }
        #expect(!isOpen(own[0]) && own.dropFirst().allSatisfy(isOpen) && isOpen(newest) && isOpen(other))
        var session: UInt8 = 2
        while streams.begin(of: [session]) != nil, session < .max { session += 1 }
        #expect(session < .max && isOpen(other))
        if let other { streams.end(other) }
        #expect(!isOpen(other) && streams.begin(of: [session]) != nil)
    }

    @Test("A session has one download, all together so many, and each has its time whatever became of it")
    func downloads() throws {
        var downloads = Downloads()
        let life = UInt64(PageLimits.downloadSeconds)
        let own = try downloads.begin(of: [1], now: 100)
        #expect(throws: Downloads.Refusal.ownRuns) { try downloads.begin(of: [1], now: 99 + life) }
        let others = try (2...UInt8(PageLimits.downloads)).map { try downloads.begin(of: [$0], now: 101) }
        #expect(throws: Downloads.Refusal.tooMany) { try downloads.begin(of: [99], now: 101) }
        downloads.end(others[0])
        #expect(!downloads.isOpen(others[0], now: 101) && downloads.isOpen(own, now: 99 + life))
        _ = try downloads.begin(of: [99], now: 101)
        #expect(!downloads.isOpen(own, now: 100 + life))
        let next = try downloads.begin(of: [1], now: 100 + life)
        #expect(next != own && downloads.isOpen(next, now: 100 + life) && !downloads.isOpen(own, now: 100 + life))
    }
}
