import AgentConfiguration
import Testing

@testable import AgentCore

@Suite("Presence")
struct PresenceTests {
    /// A phone whose link came up at 0 s and that reported the values of `dBm`, one a second from 1 s on.
    private func phone(
        reporting dBm: [Int?], policy: PresencePolicy = PresencePolicy()
    ) -> (machine: Presence, actions: [Presence.Action], now: Duration) {
        var machine = Presence(policy: policy, now: .zero)
        var actions = machine.handle(.linkUp, now: .zero)
        var now = Duration.zero
        for value in dBm {
            now += .seconds(1)
            actions += machine.handle(.report(dBm: value), now: now)
        }
        return (machine, actions, now)
    }

    private func seated(policy: PresencePolicy = PresencePolicy()) -> Presence {
        phone(reporting: [Int?](repeating: -65, count: 10), policy: policy).machine
    }

    @Test("The average is exponential with weight 0.3 and counts from the fifth sample on")
    func average() {
        #expect(phone(reporting: [-50, -50, -50, -50]).machine.signal.smoothedMilliDBm == nil)
        #expect(phone(reporting: [-50, -60, -60, -60, -60]).machine.signal.smoothedMilliDBm == -57_599)
    }

    @Test("A signal under the far threshold for five seconds is away, once")
    func weak() {
        var (machine, actions, now) = phone(reporting: [Int?](repeating: -90, count: 5))
        #expect(actions == [])
        #expect(machine.deadline == now + .seconds(5))
        actions = (1...10).flatMap { machine.handle(.report(dBm: -90), now: now + .seconds($0)) }
        #expect(actions == [.away(.weakSignal)])
        now += .seconds(10)
        #expect(machine.deadline == nil)
    }

    @Test("One deep fade, or four, is no reason to lock")
    func fade() {
        var machine = seated()
        let faded = (11...14).flatMap { machine.handle(.report(dBm: -95), now: .seconds($0)) }
        let after = (15...40).flatMap { machine.handle(.report(dBm: -65), now: .seconds($0)) }
        #expect(faded + after == [])
    }

    @Test("A lost link is away after fifteen seconds, and not before")
    func linkLost() {
        var machine = seated()
        #expect(machine.handle(.linkDown, now: .seconds(20)) == [])
        #expect(machine.deadline == .seconds(35))
        #expect(machine.handle(.timer, now: .milliseconds(34_999)) == [])
        #expect(machine.handle(.timer, now: .seconds(35)) == [.away(.linkLost)])
        #expect(machine.handle(.timer, now: .seconds(100)) == [])
    }

    @Test("A link that comes back in time, and whose reports show the person here, is no loss")
    func linkBack() {
        var machine = seated()
        _ = machine.handle(.linkDown, now: .seconds(20))
        _ = machine.handle(.linkUp, now: .seconds(34))
        let actions = (35...60).flatMap { machine.handle(.report(dBm: -65), now: .seconds($0)) }
        #expect(actions == [])
    }

    @Test("A link that flaps at the edge of the range does not put the lock off for ever")
    func flapping() {
        var machine = seated()
        var actions: [Presence.Action] = []
        for second in stride(from: 20, to: 80, by: 10) {
            actions += machine.handle(.linkDown, now: .seconds(second))
            actions += machine.handle(.linkUp, now: .seconds(second + 8))
            actions += machine.handle(.report(dBm: -88), now: .seconds(second + 9))
        }
        #expect(actions == [.away(.linkLost)])
    }

    @Test("A phone that stops reporting counts as a lost link")
    func silent() {
        var machine = seated()
        #expect(machine.deadline == .seconds(25))
        #expect(machine.handle(.timer, now: .seconds(25)) == [.away(.silent)])
        // Measurements from before the silence do not bring the phone back.
        #expect(machine.handle(.report(dBm: -65), now: .seconds(40)) == [])
        let actions = (41...44).flatMap { machine.handle(.report(dBm: -65), now: .seconds($0)) }
        #expect(actions == [.back])
    }

    @Test("Reports without a measurement keep a phone present, and only its link or silence makes it away")
    func heartbeat() {
        var (machine, actions, now) = phone(reporting: [Int?](repeating: nil, count: 60))
        #expect(actions == [])
        _ = machine.handle(.linkDown, now: now)
        #expect(machine.handle(.timer, now: now + .seconds(15)) == [.away(.linkLost)])
        now += .seconds(60)
        _ = machine.handle(.linkUp, now: now)
        actions = (1...5).flatMap { machine.handle(.report(dBm: nil), now: now + .seconds($0)) }
        #expect(actions == [.back])
    }

    @Test("A phone that never reports is not watched, unless the policy says so")
    func neverReports() {
        var lenient = phone(reporting: []).machine
        #expect(lenient.deadline == nil)
        _ = lenient.handle(.linkDown, now: .seconds(1))
        #expect(lenient.deadline == nil)
        var strict = phone(reporting: [], policy: PresencePolicy(watchesSilentPhones: true)).machine
        #expect(strict.deadline == nil)
        _ = strict.handle(.linkDown, now: .seconds(1))
        #expect(strict.handle(.timer, now: .seconds(16)) == [.away(.linkLost)])
        #expect(strict.handle(.linkUp, now: .seconds(20)) == [.back])
    }

    @Test("Away is taken back only five decibels further on")
    func hysteresis() {
        var (machine, _, now) = phone(reporting: [Int?](repeating: -85, count: 12))
        #expect(machine.state == .away(.weakSignal))
        #expect((1...30).flatMap { machine.handle(.report(dBm: -77), now: now + .seconds($0)) } == [])
        now += .seconds(30)
        #expect((1...30).flatMap { machine.handle(.report(dBm: -70), now: now + .seconds($0)) } == [.back])
    }

    @Test("Near offers one tap, once, and leaving takes the offer back")
    func near() {
        var (machine, actions, now) = phone(reporting: [Int?](repeating: -50, count: 20))
        #expect(actions == [.offer])
        actions = (1...20).flatMap { machine.handle(.report(dBm: -62), now: now + .seconds($0)) }
        #expect(actions == [], "within the hysteresis")
        now += .seconds(20)
        actions = (1...20).flatMap { machine.handle(.report(dBm: -70), now: now + .seconds($0)) }
        #expect(actions == [.withdrawOffer])
    }

    @Test("Four strong samples, or five old ones, offer nothing")
    func notNear() {
        #expect(phone(reporting: [-40, -40, -40, -40]).actions == [])
        var machine = Presence(now: .zero)
        _ = machine.handle(.linkUp, now: .zero)
        let actions = (1...20).flatMap { machine.handle(.report(dBm: -40), now: .seconds($0 * 3)) }
        #expect(actions == [])
    }

    @Test("Reports that come in one burst are one sample")
    func burst() {
        var machine = Presence(now: .zero)
        _ = machine.handle(.linkUp, now: .zero)
        let actions = (1...10).flatMap { machine.handle(.report(dBm: -40), now: .milliseconds(1_000 + $0)) }
        #expect(actions == [])
        #expect(machine.signal.count == 1)
    }

    @Test("A tap makes the person present again, until the signal says otherwise")
    func tap() {
        var (machine, _, now) = phone(reporting: [Int?](repeating: -90, count: 12))
        #expect(machine.state == .away(.weakSignal))
        #expect(machine.handle(.tapped, now: now) == [])
        #expect(machine.state == .present)
        let actions = (1...6).flatMap { machine.handle(.report(dBm: -90), now: now + .seconds($0)) }
        now += .seconds(6)
        #expect(actions == [.away(.weakSignal)])
    }

    @Test("Who taps without reporting, and goes, is not missed: absence counts anew from the next report on")
    func tapWithoutReports() {
        var machine = seated()
        _ = machine.handle(.linkDown, now: .seconds(20))
        #expect(machine.handle(.timer, now: .seconds(35)) == [.away(.linkLost)])
        _ = machine.handle(.linkUp, now: .seconds(100))
        #expect(machine.handle(.tapped, now: .seconds(101)) == [])
        _ = machine.handle(.linkDown, now: .seconds(102))
        #expect(machine.state == .present)
        #expect(machine.deadline == nil)
        _ = machine.handle(.linkUp, now: .seconds(500))
        _ = machine.handle(.report(dBm: -65), now: .seconds(501))
        _ = machine.handle(.linkDown, now: .seconds(502))
        #expect(machine.handle(.timer, now: .seconds(517)) == [.away(.linkLost)])
    }

    @Test("A tap on a link that has reported leaves the phone watched, also when the reports have ended since")
    func tapWhileWatched() {
        var machine = seated()
        _ = machine.handle(.tapped, now: .seconds(11))
        _ = machine.handle(.linkDown, now: .seconds(12))
        #expect(machine.deadline == .seconds(27))
        machine = seated()
        #expect(machine.handle(.timer, now: .seconds(25)) == [.away(.silent)])
        _ = machine.handle(.tapped, now: .seconds(30))
        #expect(machine.handle(.timer, now: .seconds(45)) == [.away(.silent)])
    }

    @Test("A phone that was watched before the agent started has to come back in time")
    func restarted() {
        var gone = Presence(hasReported: true, now: .seconds(100))
        #expect(gone.handle(.timer, now: .seconds(115)) == [.away(.linkLost)])
        var here = Presence(hasReported: true, now: .seconds(100))
        _ = here.handle(.linkUp, now: .seconds(105))
        #expect((106...150).flatMap { here.handle(.report(dBm: -65), now: .seconds($0)) } == [])
    }

    @Test("A timer that comes late changes nothing about the decision")
    func lateTimer() {
        var machine = seated()
        _ = machine.handle(.linkDown, now: .seconds(20))
        #expect(machine.handle(.linkUp, now: .seconds(300)) == [.away(.linkLost)])
    }

    @Test("Thresholds of a phone count at once, and absurd ones do not exist")
    func thresholds() throws {
        var (machine, _, now) = phone(reporting: [Int?](repeating: -85, count: 12))
        let lower = try #require(PresenceThresholds(nearDBm: -70, farDBm: -95))
        #expect(machine.handle(.thresholdsSet(lower), now: now) == [.back])
        now += .seconds(1)
        #expect(PresenceThresholds(nearDBm: -70, farDBm: -79) == nil)
        #expect(PresenceThresholds(nearDBm: -20, farDBm: -80) == nil)
        #expect(PresenceThresholds(nearDBm: -60, farDBm: -120) == nil)
    }

    @Test("Every decision is explained with its numbers")
    func explained() {
        var machine = seated()
        var said = machine.explanation(now: .seconds(11))
        #expect(said.state == "present")
        #expect(said.link == "up for 11 s")
        #expect(said.smoothedTenthsDBm == -650)
        #expect(said.samples == 10)
        #expect(
            said.why
                == "the average of -65.0 dBm is between far, -80 dBm, and near, -60 dBm; the last report is 1 s old")
        #expect(said.next == "away, unless it reports")
        #expect(said.nextMilliseconds == 14_000)
        _ = machine.handle(.linkDown, now: .seconds(12))
        said = machine.explanation(now: .seconds(13))
        #expect(said.next == "away, unless the link comes back")
        _ = machine.handle(.timer, now: .seconds(27))
        said = machine.explanation(now: .seconds(30))
        #expect(said.state == "away")
        #expect(said.why == "the link was lost for 15 s; its link is still down")
        #expect(said.next == nil)
    }
}
