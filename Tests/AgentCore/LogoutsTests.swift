import AgentConfiguration
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

/// The component for logouts, and the time in which the component runs.
struct LogoutsBench {
    var room = Logouts()
    var policy = Policy(Configuration(), boxID: Array("1234".utf8))
    /// Seconds since boot. Second 0 is midnight.
    var now = 0

    init(_ change: (inout Configuration.AutoLogout) -> Void = { _ in }) {
        change(&policy.configuration.autoLogout)
        _ = step { $0.started(&$1) }
    }

    mutating func step(at second: Int? = nil, _ body: (inout Logouts, inout Output) -> Void) -> StepTextLogouts {
        now = second ?? now
        var out = Output(
            now: Moment(sinceBoot: .seconds(now), secondOfDay: Int64(now % 86_400)), policy: policy)
        body(&room, &out)
        return StepTextLogouts(out)
    }

    mutating func timeHasCome(at second: Int) -> StepTextLogouts { step(at: second) { $0.timeHasCome(&$1) } }

    mutating func answer(_ id: OperationID, _ answer: Answer, at second: Int? = nil) -> StepTextLogouts {
        step(at: second) { $0.answered(id, answer, &$1) }
    }

    /// Opens a session with phone 1, which is connected unless `isHere` is false.
    mutating func open(
        _ session: String, by device: UInt8 = 1, sheet: DeviceSheet? = DeviceSheet(device: 1, autoLogout: 900),
        isHere: Bool = true, extensions: Int64 = 0, at second: Int
    ) -> StepTextLogouts {
        step(at: second) { room, out in
            room.sessionTracked(
                .logind(Array(session.utf8)), by: testDevice(device), user: Array("bob".utf8), since: out.time,
                extensions: extensions, sheet: sheet, isHere: isHere, &out)
        }
    }

    mutating func leave(_ device: UInt8 = 1, at second: Int) -> StepTextLogouts {
        step(at: second) { $0.counted(testDevice(device), asHere: false, &$1) }
    }

    mutating func come(_ device: UInt8 = 1, at second: Int) -> StepTextLogouts {
        step(at: second) { $0.counted(testDevice(device), asHere: true, &$1) }
    }

    mutating func tap(_ request: UInt32, by device: UInt8 = 1, at second: Int) -> StepTextLogouts {
        let asked = DeviceRequest(
            channel: ChannelID(number: 7), device: DeviceSheet(device: device).record, id: testRequest(request),
            request: .extend)
        return step(at: second) { $0.extend(asked, &$1) }
    }
}

@Suite("Sessions that end by themselves, with what is written down")
struct LogoutsTests {
    private let failed = Answer.vault(.failed(.diskFull))

    @Test("A phone that goes leaves a deadline in the vault; the logout is told when it comes, and not again")
    func away() {
        var bench = LogoutsBench()
        #expect(bench.open("c1", at: 10) == [])
        let written = bench.leave(at: 20)
        #expect(written == ["write 1: deadline 920"])
        #expect(bench.answer(written.operation(), .vault(.done)) == [])
        #expect(bench.room.deadline == .seconds(860))
        #expect(bench.timeHasCome(at: 860) == ["warned: c1, away at 920"])
        #expect(bench.room.warning(of: testDevice(1))?.canExtend == false)
        let due = bench.timeHasCome(at: 920)
        #expect(due == ["due: c1, away", "logouts wants to write 1, paid by bob"])
        #expect(bench.timeHasCome(at: 5_000) == [])
        #expect(bench.room.devices == [])
    }

    @Test("A session ends when its time has come, whatever the vault does")
    func failingVault() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        _ = bench.answer(written.operation(), failed)
        _ = bench.timeHasCome(at: 900)
        #expect(bench.timeHasCome(at: 920) == ["due: c1, away", "logouts wants to write 1, paid by bob"])
    }

    @Test("A session that the vault knows no choice for has the shortest time; the choice counts once it is read")
    func unread() {
        var bench = LogoutsBench()
        _ = bench.open("c1", sheet: nil, at: 10)
        #expect(bench.leave(at: 20) == ["write 1: deadline 80", "warned: c1, away at 80"])
        let read = bench.step(at: 30) { $0.awayTimeSet(DeviceSheet(device: 1, autoLogout: 900), &$1) }
        #expect(read == ["logouts wants to write 1, paid by bob", "warning withdrawn: c1"])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(920))
    }

    @Test("The administrator's bounds win over what a phone chose before")
    func bounds() {
        var bench = LogoutsBench()
        _ = bench.open("c1", sheet: DeviceSheet(device: 1, autoLogout: 7_200), at: 10)
        _ = bench.leave(at: 20)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(7_220))
        bench.policy.configuration.autoLogout.maximumSeconds = 3_600
        // A sooner deadline needs no budget, and follows the write in progress.
        #expect(bench.step(at: 30) { $0.policyChanged(&$1) } == [])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(3_620))
        #expect(bench.room.unwritten == [testDevice(1)])
    }

    @Test("A choice of a device without a session changes nothing, and is not kept")
    func choiceWithoutSession() {
        var bench = LogoutsBench()
        #expect(bench.step { $0.awayTimeSet(DeviceSheet(device: 1, autoLogout: 900), &$1) } == [])
        #expect(bench.room.owners.isEmpty)
    }

    @Test("A page that is gone ends no session by the administrator's time, and does by its person's own")
    func page() {
        var bench = LogoutsBench()
        bench.policy.configuration.autoLogout.defaultSeconds = 600
        bench.policy.configuration.autoLogout.mayBeOff = false
        for off in [nil, 0] as [UInt32?] {
            _ = bench.open("c1", sheet: DeviceSheet(device: 1, isWeb: true, autoLogout: off), at: 10)
            #expect(bench.leave(at: 20) == [])
            #expect(bench.room.nextEnd(of: testDevice(1)) == nil)
            _ = bench.step { $0.sessionEnded(.logind(Array("c1".utf8)), &$1) }
        }
        _ = bench.open("c2", sheet: DeviceSheet(device: 1, isWeb: true, autoLogout: 900), at: 30)
        _ = bench.leave(at: 40)
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(940))
    }

    @Test("Switched off from the phone, what runs is taken back")
    func off() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        _ = bench.leave(at: 20)
        let step = bench.step(at: 30) { $0.awayTimeSet(DeviceSheet(device: 1, autoLogout: 0), &$1) }
        #expect(step == ["logouts wants to write 1, paid by bob"])
        #expect(bench.room.nextEnd(of: testDevice(1)) == nil)
    }

    // MARK: - What time alone changes

    @Test("Idleness is asked for every 30 s while a session could end by it, and not twice at a time")
    func looks() {
        var bench = LogoutsBench { $0.idleSeconds = 600 }
        #expect(bench.room.deadline == nil)
        let asked = bench.open("c1", at: 10)
        #expect(asked == ["ask idleness of c1"])
        #expect(bench.room.deadline == .seconds(40))
        #expect(bench.answer(asked.operation(), .idlenessRead, at: 15) == [])
        #expect(bench.timeHasCome(at: 39) == [])
        #expect(bench.timeHasCome(at: 40) == ["ask idleness of c1"])
        #expect(bench.timeHasCome(at: 70) == [])
        _ = bench.step(at: 71) { $0.sessionEnded(.logind(Array("c1".utf8)), &$1) }
        #expect(bench.timeHasCome(at: 100) == [])
        #expect(bench.timeHasCome(at: 200) == [])
        #expect(bench.room.deadline == nil)
    }

    @Test("A look that is never answered is given up, and idleness asked for again; the late answer is nothing")
    func lostLook() {
        var bench = LogoutsBench { $0.idleSeconds = 600 }
        let first = bench.open("c1", at: 10)
        #expect(bench.timeHasCome(at: 69) == [])
        #expect(bench.timeHasCome(at: 70) == [])
        let second = bench.timeHasCome(at: 99)
        #expect(second == ["ask idleness of c1"])
        #expect(bench.answer(first.operation(), .idlenessRead) == [])
        #expect(bench.timeHasCome(at: 129) == [])
    }

    @Test("Nobody works: warned, logged out; a key in between takes it back")
    func idle() {
        var bench = LogoutsBench { $0.idleSeconds = 600 }
        let key = SessionKey.logind(Array("c1".utf8))
        _ = bench.open("c1", at: 10)
        #expect(bench.step(at: 20) { $0.idle(key, since: .seconds(15), &$1) } == [])
        #expect(bench.timeHasCome(at: 555).lines.last == "warned: c1, idle at 615")
        #expect(bench.step(at: 556) { $0.idle(key, since: nil, &$1) } == ["warning withdrawn: c1"])
        _ = bench.step(at: 600) { $0.idle(key, since: .seconds(590), &$1) }
        _ = bench.timeHasCome(at: 1_130)
        #expect(bench.timeHasCome(at: 1_190) == ["due: c1, idle"])
    }

    @Test("A closing time counts on the day of the login, however long nobody was here before")
    func closing() {
        var bench = LogoutsBench { $0.closingTimes = ["20:00"] }
        let monday = 3 * 86_400 + 8 * 3_600
        #expect(bench.open("c1", at: monday) == [])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(3 * 86_400 + 20 * 3_600))
        #expect(bench.timeHasCome(at: monday + 1) == [])
    }

    @Test("After sleep the closing time is looked for anew")
    func woke() {
        var bench = LogoutsBench { $0.closingTimes = ["20:00"] }
        _ = bench.open("c1", at: 8 * 3_600)
        bench.policy.configuration.autoLogout.closingTimes = ["18:00"]
        _ = bench.step(at: 9 * 3_600) { $0.woke(&$1) }
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(18 * 3_600))
    }
}
