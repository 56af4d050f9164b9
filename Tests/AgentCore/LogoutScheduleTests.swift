import AgentConfiguration
import TestSupport
import Testing

@testable import AgentCore

@Suite("Sessions that end by themselves")
struct LogoutScheduleTests {
    typealias Machine = LogoutSchedule<String, String>

    private func opened(_ limits: LogoutLimits, closing: Duration? = nil) -> Machine {
        var machine = Machine(limits: limits)
        _ = machine.handle(.closingSet(closing), now: .zero)
        _ = machine.handle(.connected("phone"), now: .zero)
        _ = machine.handle(.opened("c1", by: "phone", since: .zero, extensions: 0), now: .zero)
        return machine
    }

    @Test("Nobody works: a warning a minute before, then the logout; a key in between takes the warning back")
    func idle() {
        var machine = opened(LogoutLimits(idle: .seconds(600)))
        #expect(machine.handle(.idle("c1", since: .seconds(100)), now: .seconds(400)) == [])
        #expect(machine.deadline == .seconds(640))
        #expect(machine.handle(.timer, now: .seconds(640)) == [.warn("c1", .idle, at: .seconds(700))])
        #expect(machine.deadline == .seconds(700))
        #expect(machine.handle(.idle("c1", since: nil), now: .seconds(650)) == [.withdrawWarning("c1")])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.idle("c1", since: .seconds(660)), now: .seconds(1_000)) == [])
        #expect(machine.handle(.timer, now: .seconds(1_200)) == [.warn("c1", .idle, at: .seconds(1_260))])
        #expect(machine.handle(.timer, now: .seconds(1_260)) == [.logout("c1", .idle)])
        #expect(machine.handle(.timer, now: .seconds(9_000)) == [])
    }

    @Test("A session lasts as long as it may; taps after the warning put it off so many times, and no more")
    func longest() {
        var machine = opened(
            LogoutLimits(longest: .seconds(3_600), extensionTime: .seconds(900), extensionLimit: 2))
        #expect(machine.tap("phone", now: .seconds(10)) == [])
        for round in 1...2 as ClosedRange<Int64> {
            let end = Duration.seconds(3_600 + (round - 1) * 900)
            let warning = end - .seconds(60)
            #expect(machine.handle(.timer, now: warning) == [.warn("c1", .longest, at: end)])
            #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: round)])
            #expect(machine.tap("phone", now: warning + .seconds(1)) == [.withdrawWarning("c1")])
        }
        #expect(machine.handle(.timer, now: .seconds(5_340)) == [.warn("c1", .longest, at: .seconds(5_400))])
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.refused])
        #expect(machine.tap("phone", now: .seconds(5_350)) == [])
        #expect(machine.handle(.timer, now: .seconds(5_400)) == [.logout("c1", .longest)])
    }

    @Test(
        "Whatever is tapped, typed and done with phones, a session ends when it has lasted as long as it may",
        arguments: seeds)
    func endsWhateverComes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let limits = LogoutLimits(
                idle: .seconds(300), longest: .seconds(3_600), extensionTime: .seconds(900),
                extensionLimit: .random(in: 0...3, using: &generator))
            var machine = opened(limits)
            let last = 3_600 + 900 * Int(limits.extensionLimit)
            var isOpen = true
            for second in stride(from: 0, through: last, by: 7) where isOpen {
                let now = Duration.seconds(second)
                let events: [Machine.Event] = [
                    .idle("c1", since: nil), .idle("c1", since: now), .connected("phone"),
                    .disconnected("phone"), .awaySet("phone", .seconds(600)), .timer,
                    // The same limits again, as after the administrator's `reload`.
                    .limitsSet(limits), .opened("c2", by: "phone", since: now, extensions: 0), .ended("c2"),
                ]
                // The two numbers beyond the events stand for a tap on the session's phone and a tap on another phone.
                let chosen = Int.random(in: 0..<events.count + 2, using: &generator)
                let actions =
                    chosen < events.count
                    ? machine.handle(events[chosen], now: now)
                    : machine.tap(chosen == events.count ? "phone" : "other", now: now)
                for action in actions + machine.handle(.timer, now: now) {
                    if case .logout("c1", _) = action { isOpen = false }
                }
            }
            _ = machine.tap("phone", now: .seconds(last))
            let ended = machine.handle(.timer, now: .seconds(last)).contains(.logout("c1", .longest))
            #expect(!isOpen || ended, "seed \(seed): it was put off for ever")
        }
    }

    @Test("A tap puts an end by idleness off as often as somebody taps, and counts like a key")
    func tapWhileIdle() {
        var machine = opened(LogoutLimits(idle: .seconds(600), extensionLimit: 0))
        _ = machine.handle(.idle("c1", since: .seconds(100)), now: .seconds(400))
        _ = machine.handle(.timer, now: .seconds(640))
        #expect(machine.warning(of: "phone") == Machine.Warning(cause: .idle, at: .seconds(700), canExtend: true))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.idleness])
        #expect(machine.tap("phone", now: .seconds(650)) == [.withdrawWarning("c1")])
        #expect(machine.warning(of: "phone") == nil)
        #expect(machine.handle(.timer, now: .seconds(1_190)) == [.warn("c1", .idle, at: .seconds(1_250))])
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.idleness])
        #expect(machine.tap("phone", now: .seconds(1_200)) == [.withdrawWarning("c1")])
    }

    @Test("The phone hears of the session that ends first, and whether a tap puts that off")
    func warningOfSeveral() {
        var machine = opened(
            LogoutLimits(longest: .seconds(1_000), extensionTime: .seconds(100), extensionLimit: 1))
        _ = machine.handle(.opened("c2", by: "phone", since: .seconds(30), extensions: 0), now: .seconds(30))
        _ = machine.handle(.opened("c3", by: "other", since: .zero, extensions: 0), now: .seconds(30))
        #expect(machine.warning(of: "phone") == nil)
        _ = machine.handle(.timer, now: .seconds(980))
        #expect(machine.warning(of: "phone") == Machine.Warning(cause: .longest, at: .seconds(1_000), canExtend: true))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1), .end(times: 1)], "c3 is another's")
        _ = machine.tap("phone", now: .seconds(985))
        #expect(machine.warning(of: "phone") == nil)
        #expect(machine.warning(of: "other")?.at == .seconds(1_000))
        _ = machine.handle(.timer, now: .seconds(1_041))
        #expect(
            machine.warning(of: "phone") == Machine.Warning(cause: .longest, at: .seconds(1_100), canExtend: false))
        _ = machine.handle(.ended("c1"), now: .seconds(1_042))
        #expect(machine.warning(of: "phone") == nil, "c2 is not warned yet")
    }

    @Test("An end that moves within the minute is warned of anew")
    func movedWithinTheMinute() {
        var machine = opened(
            LogoutLimits(longest: .seconds(1_000), extensionTime: .seconds(30), extensionLimit: 2))
        _ = machine.handle(.timer, now: .seconds(950))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1)])
        #expect(machine.tap("phone", now: .seconds(990)) == [.warn("c1", .longest, at: .seconds(1_030))])
        #expect(machine.deadline == .seconds(1_030))
    }

    @Test("A tap that could not be written down puts nothing off and spends nothing")
    func notWritten() {
        var machine = opened(
            LogoutLimits(longest: .seconds(1_000), extensionTime: .seconds(900), extensionLimit: 1))
        _ = machine.handle(.timer, now: .seconds(940))
        // The extension is requested, but never reported as written.
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1)])
        #expect(machine.handle(.timer, now: .seconds(951)) == [])
        #expect(machine.warning(of: "phone") == Machine.Warning(cause: .longest, at: .seconds(1_000), canExtend: true))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1)])
        #expect(machine.handle(.putOff("c2", .end(times: 1)), now: .seconds(952)) == [])
    }

    @Test("What was put off before a restart stays put off, and is not given again")
    func restoredExtensions() {
        var machine = Machine(
            limits: LogoutLimits(longest: .seconds(3_600), extensionTime: .seconds(900), extensionLimit: 1))
        _ = machine.handle(.opened("c1", by: "phone", since: .seconds(100), extensions: 1), now: .seconds(4_000))
        #expect(machine.nextEnd(of: "phone")?.at == .seconds(4_600))
        _ = machine.handle(.timer, now: .seconds(4_545))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.refused])
        #expect(machine.tap("phone", now: .seconds(4_550)) == [])
    }

    @Test("The site closes: everybody is warned and leaves; whoever puts it off is not given tomorrow's closing")
    func closing() {
        var machine = opened(LogoutLimits(extensionTime: .seconds(600)), closing: .seconds(1_000))
        _ = machine.handle(.opened("c2", by: "other", since: .seconds(5), extensions: 0), now: .seconds(5))
        #expect(
            Set(machine.handle(.timer, now: .seconds(940)).map { "\($0)" })
                == Set(
                    ["c1", "c2"].map { "\(Machine.Action.warn($0, .closing, at: .seconds(1_000)))" }))
        _ = machine.tap("phone", now: .seconds(950))
        #expect(machine.handle(.timer, now: .seconds(1_000)) == [.logout("c2", .closing)])
        #expect(machine.handle(.closingSet(.seconds(87_400)), now: .seconds(1_000)) == [])
        #expect(machine.handle(.timer, now: .seconds(1_540)) == [.warn("c1", .closing, at: .seconds(1_600))])
        #expect(machine.handle(.timer, now: .seconds(1_600)) == [.logout("c1", .closing)])
    }

    @Test("A closing that came and went while nobody was here ends no session that is opened later")
    func closingWithoutSessions() {
        var machine = Machine()
        _ = machine.handle(.closingSet(.seconds(1_000)), now: .zero)
        _ = machine.handle(.connected("phone"), now: .seconds(50_000))
        let opened = Machine.Event.opened("c1", by: "phone", since: .seconds(50_000), extensions: 0)
        #expect(machine.handle(opened, now: .seconds(50_000)) == [])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.closingSet(.seconds(87_400)), now: .seconds(50_000)) == [])
        #expect(machine.nextEnd(of: "phone")?.at == .seconds(87_400))
    }

    @Test("What happens to several sessions at once happens in the order in which they were opened")
    func order() {
        let names = (1...12).map { "c\($0)" }
        var machine = Machine(limits: LogoutLimits(extensionLimit: 3))
        _ = machine.handle(.closingSet(.seconds(1_000)), now: .zero)
        for name in names {
            _ = machine.handle(.opened(name, by: name, since: .zero, extensions: 0), now: .zero)
        }
        #expect(machine.openSessions == names)
        #expect(machine.devices == names)
        #expect(
            machine.handle(.timer, now: .seconds(940)) == names.map { .warn($0, .closing, at: .seconds(1_000)) })
        #expect(machine.handle(.timer, now: .seconds(1_000)) == names.map { .logout($0, .closing) })
    }

    @Test("What a tap would put off is asked for without a change, and counts when it is said to")
    func putOffs() {
        var machine = opened(LogoutLimits(longest: .seconds(3_600), extensionLimit: 1))
        #expect(machine.putOffs(of: "phone").isEmpty)
        _ = machine.handle(.timer, now: .seconds(3_540))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1)])
        #expect(machine.nextEnd(of: "phone")?.at == .seconds(3_600))
        #expect(machine.handle(.putOff("c1", .end(times: 1)), now: .seconds(3_550)) == [.withdrawWarning("c1")])
        #expect(machine.nextEnd(of: "phone")?.at == .seconds(4_500))
        _ = machine.handle(.timer, now: .seconds(4_440))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.refused])
    }

    @Test("A clock that is set moves a closing that nobody was warned of yet")
    func clockSet() {
        var machine = opened(LogoutLimits(), closing: .seconds(10_000))
        #expect(machine.handle(.closingSet(.seconds(500)), now: .seconds(20)) == [])
        #expect(machine.deadline == .seconds(440))
    }

    @Test("The phone away: written down, warned of in the session, taken back at its return")
    func away() {
        var machine = opened(LogoutLimits())
        _ = machine.handle(.awaySet("phone", .seconds(300)), now: .seconds(1))
        #expect(machine.handle(.disconnected("phone"), now: .seconds(100)) == [.writeDeadline("phone", .seconds(400))])
        #expect(machine.handle(.timer, now: .seconds(340)) == [.warn("c1", .away, at: .seconds(400))])
        #expect(machine.warning(of: "phone") == Machine.Warning(cause: .away, at: .seconds(400), canExtend: false))
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.refused])
        #expect(machine.tap("phone", now: .seconds(341)) == [])
        #expect(
            machine.handle(.connected("phone"), now: .seconds(350)) == [
                .clearDeadline("phone"), .withdrawWarning("c1"),
            ])
        _ = machine.handle(.disconnected("phone"), now: .seconds(400))
        _ = machine.handle(.timer, now: .seconds(640))
        #expect(
            machine.handle(.timer, now: .seconds(700)) == [.clearDeadline("phone"), .logout("c1", .away)])
    }

    @Test("The first of several ends is the one that comes")
    func first() {
        var machine = opened(LogoutLimits(idle: .seconds(100), longest: .seconds(1_000)), closing: .seconds(800))
        #expect(machine.nextEnd(of: "phone")?.cause == .closing)
        _ = machine.handle(.idle("c1", since: .seconds(10)), now: .seconds(20))
        #expect(machine.nextEnd(of: "phone")?.cause == .idle)
    }

    @Test("A limit that is lowered below what has passed leaves the minute of its warning, once")
    func lowered() {
        var machine = opened(LogoutLimits(longest: .seconds(36_000), extensionTime: .seconds(900), extensionLimit: 1))
        let lower = LogoutLimits(longest: .seconds(3_600), extensionTime: .seconds(900), extensionLimit: 1)
        #expect(
            machine.handle(.limitsSet(lower), now: .seconds(9_000)) == [.warn("c1", .longest, at: .seconds(9_060))])
        // A reload brings the same limits again.
        #expect(machine.handle(.limitsSet(lower), now: .seconds(9_030)) == [])
        #expect(machine.handle(.timer, now: .seconds(9_059)) == [])
        #expect(machine.putOffs(of: "phone").map(\.putOff) == [.end(times: 1)])
        #expect(machine.tap("phone", now: .seconds(9_059)) == [.withdrawWarning("c1")])
        #expect(machine.handle(.timer, now: .seconds(9_900)) == [.warn("c1", .longest, at: .seconds(9_960))])
        #expect(machine.handle(.timer, now: .seconds(9_960)) == [.logout("c1", .longest)])
    }

    @Test("A time away that is lowered below what has passed leaves the minute of its warning, once")
    func awayLowered() {
        var machine = opened(LogoutLimits())
        _ = machine.handle(.awaySet("phone", .seconds(900)), now: .zero)
        #expect(machine.handle(.disconnected("phone"), now: .zero) == [.writeDeadline("phone", .seconds(900))])
        #expect(
            machine.handle(.awaySet("phone", .seconds(100)), now: .seconds(500))
                == [.writeDeadline("phone", .seconds(560)), .warn("c1", .away, at: .seconds(560))])
        #expect(machine.handle(.awaySet("phone", .seconds(100)), now: .seconds(530)) == [])
        #expect(
            machine.handle(.timer, now: .seconds(560)) == [.clearDeadline("phone"), .logout("c1", .away)])
    }

    @Test("A deadline of an earlier run for a session that nobody knows is said to be that")
    func unseen() {
        var machine = Machine()
        _ = machine.handle(.restored("phone", deadline: .seconds(50)), now: .seconds(10))
        #expect(machine.handle(.timer, now: .seconds(50)) == [.clearDeadline("phone"), .logoutUnseen("phone")])
        _ = machine.handle(.restored("other", deadline: .seconds(90)), now: .seconds(60))
        #expect(machine.forget("other", now: .seconds(61)) == [.clearDeadline("other")])
        #expect(machine.handle(.timer, now: .seconds(90)) == [])
    }

    @Test("A session that has ended is neither warned nor logged out")
    func ended() {
        var machine = opened(LogoutLimits(longest: .seconds(100)))
        _ = machine.handle(.ended("c1"), now: .seconds(10))
        #expect(machine.deadline == nil)
        #expect(machine.handle(.timer, now: .seconds(200)) == [])
    }

    @Test(
        "Closing times are counted from the second of the day, over midnight as well",
        arguments: [(72_000, 18_000), (0, 3_600), (3_600, 68_400), (3_599, 1), (86_399, 3_601)] as [(Int64, Int64)])
    func closingTimes(second: Int64, left: Int64) throws {
        let times = try #require(ClosingTimes(["01:00", "20:00"]))
        #expect(times.untilNext(after: second) == .seconds(left))
    }

    @Test(
        "What is no time of day is refused", arguments: ["", "8", "8:00", "24:00", "12:60", "-1:00", "12:00 ", "１2:00"])
    func badTimes(text: String) {
        #expect(ClosingTimes([text]) == nil)
    }

    @Test("A site without closing times never closes")
    func neverCloses() throws {
        #expect(try #require(ClosingTimes([])).untilNext(after: 5) == nil)
    }
}

extension LogoutSchedule {
    /// A tap on the device's phone, with extensions that are written at once.
    fileprivate mutating func tap(_ device: Device, now: Duration) -> [Action] {
        putOffs(of: device).flatMap { handle(.putOff($0.session, $0.putOff), now: now) }
    }
}
