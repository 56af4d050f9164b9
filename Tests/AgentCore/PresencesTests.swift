import AgentConfiguration
import ControlProtocol
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("People at the box, by their phones")
struct PresencesTests {
    private static let lost = "away: 1, the link was lost for 15 s; its link is still down"
    private static let wants = "presences wants to write 1, paid by bob"
    private let phone = testDevice(1)
    private let failed = Answer.vault(.failed(.diskFull))
    private let stored = Answer.vault(.done)

    private struct Bench {
        var room = Presences()
        var policy = Policy(Configuration(), boxID: Array("1234".utf8))
        var now = 0

        mutating func step(at second: Int? = nil, _ body: (inout Presences, inout Output) -> Void) -> StepTextLogouts {
            now = second ?? now
            var out = Output(now: Moment(sinceBoot: .seconds(now)), policy: policy)
            body(&room, &out)
            return StepTextLogouts(out)
        }

        mutating func timeHasCome(at second: Int) -> StepTextLogouts { step(at: second) { $0.timeHasCome(&$1) } }

        mutating func answer(_ id: OperationID, _ answer: Answer) -> StepTextLogouts {
            step { $0.answered(id, answer, &$1) }
        }

        mutating func come(sheet: DeviceSheet? = DeviceSheet(device: 1), at second: Int) -> StepTextLogouts {
            step(at: second) { room, out in
                room.followed(testDevice(1), user: Array("bob".utf8), sheet: sheet, &out)
                room.linkUp(testDevice(1), &out)
            }
        }

        mutating func report(_ dBm: Int?, at second: Int) -> StepTextLogouts {
            step(at: second) { $0.reported(testDevice(1), dBm: dBm, &$1) }
        }

        /// Reports `dBm` each second up to and including `second`.
        mutating func reports(_ dBm: Int?, upTo second: Int) -> [String] {
            var lines: [String] = []
            while now < second { lines += report(dBm, at: now + 1).lines }
            return lines
        }

        mutating func linkDown(at second: Int) -> StepTextLogouts {
            step(at: second) { $0.linkDown(testDevice(1), &$1) }
        }
    }

    /// The phone is connected, reports a middling signal up to second 10, and is stored as watched.
    private func seated(_ change: (inout Configuration.Presence) -> Void = { _ in }) -> Bench {
        var bench = Bench()
        change(&bench.policy.configuration.presence)
        _ = bench.come(at: 0)
        let first = bench.report(-70, at: 1)
        #expect(first == ["write 1: watched"])
        _ = bench.answer(first.operation(), stored)
        #expect(bench.reports(-70, upTo: 10) == [])
        return bench
    }

    // MARK: - Away and back

    @Test("A watched phone whose link is lost is away after 15 s, once; who is back has shown it by reports")
    func awayAndBack() {
        var bench = seated()
        #expect(bench.linkDown(at: 20) == [])
        #expect(bench.room.deadline == .seconds(35))
        #expect(bench.timeHasCome(at: 34) == [])
        #expect(bench.timeHasCome(at: 35) == [Self.lost])
        #expect(bench.room.isAway(phone))
        #expect(bench.timeHasCome(at: 60) == [])
        #expect(bench.step(at: 61) { $0.linkUp(testDevice(1), &$1) } == [])
        #expect(bench.reports(-70, upTo: 66) == ["log info: device \(phone) is back", "back: 1"])
        #expect(!bench.room.isAway(phone))
    }

    @Test("A tap is a person: the phone is back, without a line of the log")
    func tap() {
        var bench = seated()
        _ = bench.reports(-100, upTo: 30)
        #expect(bench.room.isAway(phone))
        #expect(bench.step(at: 31) { $0.tapped(testDevice(1), &$1) } == ["back: 1"])
    }

    @Test("A tap at the moment when the phone would be away leaves nobody away")
    func tapAtTheDeadline() {
        var bench = seated()
        let step = bench.step(at: 60) { $0.tapped(testDevice(1), &$1) }
        #expect(step.lines.map { $0.prefix(7) } == ["away: 1", "back: 1"])
        #expect(!bench.room.isAway(phone))
    }

    @Test("A revoked phone's link counts as lost from that moment, whatever still comes over it")
    func revoked() {
        var bench = seated()
        #expect(bench.step(at: 20) { $0.barred([testDevice(1)], &$1) } == [])
        #expect(bench.reports(-50, upTo: 34) == [])
        #expect(bench.timeHasCome(at: 35) == [Self.lost])
    }

    @Test("What happens to several phones at once happens in the order of their ids")
    func order() {
        var bench = Bench()
        for device in (1...12 as ClosedRange<UInt8>).reversed() {
            _ = bench.step(at: 0) {
                $0.followed(
                    testDevice(device), user: [], sheet: DeviceSheet(device: device, isWatched: true), &$1)
            }
        }
        let names = bench.timeHasCome(at: 15).lines.compactMap { $0.split(separator: ",").first }
        #expect(names == (1...12).map { "away: \($0)" })
    }

    // MARK: - What the vault says

    @Test("A phone that an earlier run watched has to come back, also while it has only a session")
    func watchedBefore() {
        var bench = Bench()
        _ = bench.step(at: 0) {
            $0.followed(testDevice(1), user: Array("bob".utf8), sheet: DeviceSheet(device: 1, isWatched: true), &$1)
        }
        #expect(bench.timeHasCome(at: 15) == [Self.lost])
    }

    @Test("A phone of which the vault says nothing has to come back")
    func unreadable() {
        var bench = Bench()
        _ = bench.step(at: 0) { $0.followed(testDevice(1), user: Array("bob".utf8), sheet: nil, &$1) }
        #expect(bench.timeHasCome(at: 15) == [Self.lost])
        // The record shows that the phone was not watched, so it is not away.
        let step = bench.step(at: 16) {
            $0.followed(testDevice(1), user: Array("bob".utf8), sheet: DeviceSheet(device: 1), &$1)
        }
        #expect(step == ["back: 1"])
    }

    @Test("What the vault cannot say is taken for what locks sooner; what it says later counts from then")
    func unread() {
        var bench = Bench()
        _ = bench.step(at: 0) { $0.followed(testDevice(1), user: Array("bob".utf8), sheet: nil, &$1) }
        #expect(listing(bench)?.calibrated == false)
        let measured = StoredThresholds(nearDBm: -50, farDBm: -75)
        let sheet = DeviceSheet(device: 1, thresholds: measured)
        _ = bench.step(at: 1) { $0.followed(testDevice(1), user: Array("bob".utf8), sheet: sheet, &$1) }
        #expect(listing(bench)?.calibrated == true)
        #expect(listing(bench)?.minusFarDBm == 75)
        #expect(bench.timeHasCome(at: 15) == [])
    }

    @Test("Before anybody is followed, phones without a session are forgotten; that it failed is logged")
    func started() {
        var bench = Bench()
        let step = bench.step { $0.started(&$1) }
        #expect(step == ["forget watched without sessions"])
        #expect(
            bench.answer(step.operation(), failed).lines == [
                "log error: could not store that some phones are no longer watched: \(VaultError.diskFull)"
            ])
        #expect(bench.room.deadline == nil)
    }

    // MARK: - What is written down

    @Test("That a phone is watched holds in memory and is written again where it could not be stored")
    func retried() {
        var bench = Bench()
        _ = bench.come(at: 0)
        let first = bench.report(-70, at: 1)
        #expect(
            bench.answer(first.operation(), failed).lines == [
                "log error: a phone's watch state could not be stored: \(VaultError.diskFull)"
            ])
        #expect(bench.room.unwritten == [phone])
        #expect(bench.room.deadline == .seconds(2))
        let again = bench.timeHasCome(at: 2)
        #expect(again == ["write 1: watched"])
        #expect(bench.answer(again.operation(), .acted(.done)) == [])
        let third = bench.timeHasCome(at: 4)
        #expect(bench.answer(third.operation(), stored) == [])
        #expect(bench.room.unwritten == [])
    }

    @Test("A phone that goes and owns nothing is forgotten; its row goes when the budget allows it")
    func forgotten() {
        var bench = seated()
        _ = bench.linkDown(at: 20)
        #expect(bench.step(at: 20) { $0.forgets(testDevice(1), &$1) } == [Self.wants])
        #expect(bench.room.deadline == nil)
        #expect(bench.step(at: 20) { $0.mayWrite(testDevice(1), true, &$1) } == ["write 1: not watched"])
        #expect(bench.step(at: 21) { $0.forgets(testDevice(1), &$1) } == [])
    }

    @Test("Over the budget the row stays; one that was never watched has none")
    func overBudget() {
        var bench = seated()
        _ = bench.step(at: 20) { $0.forgets(testDevice(1), &$1) }
        #expect(bench.step(at: 20) { $0.mayWrite(testDevice(1), false, &$1) } == [])
        #expect(bench.room.unwritten == [])
        _ = bench.come(at: 30)
        #expect(bench.step(at: 31) { $0.forgets(testDevice(1), &$1) } == [])
    }

    @Test("A row is not cleared that counts again")
    func countsAgain() {
        var bench = seated()
        _ = bench.step(at: 20) { $0.forgets(testDevice(1), &$1) }
        _ = bench.come(sheet: DeviceSheet(device: 1, isWatched: true), at: 20)
        #expect(bench.step(at: 20) { $0.mayWrite(testDevice(1), true, &$1) } == [])
    }

    @Test("A newer word on whether a phone is watched follows the one that is being written")
    func newerFollows() {
        var bench = Bench()
        _ = bench.come(at: 0)
        let first = bench.report(-70, at: 1)
        _ = bench.step(at: 2) { $0.forgets(testDevice(1), &$1) }
        #expect(bench.step(at: 2) { $0.mayWrite(testDevice(1), true, &$1) } == [])
        #expect(bench.answer(first.operation(), stored) == ["write 1: not watched"])
        #expect(bench.answer(first.operation(), stored) == [])
    }

    // MARK: - Policy

    @Test("Presence that is switched off leaves nobody away; switched on again, whoever was watched has to come back")
    func switchedOff() {
        var bench = seated()
        _ = bench.linkDown(at: 20)
        _ = bench.timeHasCome(at: 35)
        bench.policy.configuration.presence.enabled = false
        #expect(bench.step(at: 40) { $0.policyChanged(&$1) } == ["back: 1"])
        #expect(bench.room.deadline == nil)
        #expect(listing(bench) == nil)
        bench.policy.configuration.presence.enabled = true
        #expect(bench.step(at: 50) { $0.policyChanged(&$1) } == [])
        #expect(bench.timeHasCome(at: 65) == [Self.lost])
    }

    @Test("A phone that comes while presence is switched off is followed when it is switched on")
    func switchedOn() {
        var bench = Bench()
        bench.policy.configuration.presence.enabled = false
        _ = bench.come(at: 0)
        #expect(bench.reports(-70, upTo: 3) == [])
        bench.policy.configuration.presence.enabled = true
        _ = bench.step(at: 4) { $0.policyChanged(&$1) }
        #expect(listing(bench)?.connected == true)
        #expect(bench.report(-70, at: 5) == ["write 1: watched"])
    }

    @Test("New thresholds and times count for phones that are here; a phone's own count while it may calibrate")
    func policy() {
        var bench = seated()
        let measured = StoredThresholds(nearDBm: -50, farDBm: -66)
        #expect(bench.step(at: 10) { $0.thresholdsChanged(testDevice(1), to: measured, &$1) } == [])
        #expect(bench.room.deadline == .seconds(15))
        bench.policy.configuration.presence.mayCalibrate = false
        bench.policy.configuration.presence.lostSeconds = 40
        _ = bench.step(at: 11) { $0.policyChanged(&$1) }
        #expect(listing(bench)?.calibrated == false)
        #expect(bench.room.deadline == .seconds(50))
        bench.policy.configuration.presence.mayCalibrate = true
        _ = bench.step(at: 12) { $0.policyChanged(&$1) }
        #expect(listing(bench)?.minusFarDBm == 66)
        _ = bench.step(at: 13) { $0.thresholdsChanged(testDevice(1), to: nil, &$1) }
        #expect(listing(bench)?.calibrated == false)
    }

    // MARK: - What is shown

    private func listing(_ bench: Bench) -> PresenceListing? {
        bench.room.listings(ofUser: nil, policy: bench.policy, now: .seconds(bench.now)).first
    }

    @Test("A near phone may offer a login, or to unlock what is locked; one that is not near offers nothing")
    func offer() {
        var bench = seated()
        #expect(bench.room.offer(of: phone, sessionsAllLocked: nil) == .none)
        _ = bench.reports(-40, upTo: 25)
        #expect(bench.room.offer(of: phone, sessionsAllLocked: nil) == .logIn)
        #expect(bench.room.offer(of: phone, sessionsAllLocked: true) == .unlock)
        #expect(bench.room.offer(of: phone, sessionsAllLocked: false) == .none)
        #expect(bench.room.offer(of: testDevice(2), sessionsAllLocked: nil) == .none)
    }

    @Test("Root sees why each phone counts as what it does, others that of their own")
    func listings() {
        var bench = seated()
        _ = bench.step { $0.followed(testDevice(2), user: Array("eve".utf8), sheet: DeviceSheet(device: 2), &$1) }
        let users = { (user: String?) in
            bench.room.listings(ofUser: user.map { Array($0.utf8) }, policy: bench.policy, now: .seconds(12))
                .map { String(decoding: $0.user, as: UTF8.self) }
        }
        #expect(users(nil) == ["bob", "eve"])
        #expect(users("eve") == ["eve"])
        #expect(users("joe") == [])
        let listing = listing(bench)
        #expect(listing?.state == "present")
        #expect(listing?.minusTenthsDBm == 700)
        #expect(listing?.samples == 10)
        #expect(listing?.next == "away, unless it reports")
        #expect(listing?.nextMilliseconds == 15_000)
    }

    // MARK: - Pages in a browser

    @Test("The end of a page's link is never absence, also where every phone is missed")
    func pageGoes() {
        var bench = Bench()
        bench.policy.configuration.presence.requirePhone = true
        let page = DeviceSheet(device: 1, isWeb: true)
        #expect(bench.come(sheet: page, at: 0) == [])
        #expect(bench.linkDown(at: 20) == [])
        #expect(bench.room.deadline == nil)
        #expect(bench.timeHasCome(at: 600) == [])
        #expect(!bench.room.isAway(phone))
    }

    @Test("What a page reports of its signal counts for nothing")
    func pageReports() {
        var bench = Bench()
        _ = bench.come(sheet: DeviceSheet(device: 1, isWeb: true), at: 0)
        #expect(bench.reports(-100, upTo: 60) == [])
        #expect(!bench.room.isAway(phone))
    }

    @Test("A phone that cannot be read is missed; read as a page, it is back and missed no more")
    func pageThatCouldNotBeRead() {
        var bench = Bench()
        _ = bench.come(sheet: nil, at: 0)
        _ = bench.linkDown(at: 10)
        #expect(bench.timeHasCome(at: 60).lines.contains { $0.hasPrefix("away: 1") })
        let page = DeviceSheet(device: 1, isWeb: true, isWatched: true)
        let read = bench.step(at: 70) { $0.followed(testDevice(1), user: Array("bob".utf8), sheet: page, &$1) }
        #expect(read == ["back: 1"])
        #expect(bench.room.deadline == nil)
    }
}
