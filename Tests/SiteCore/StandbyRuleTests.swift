import Testing

@testable import SiteCore

@Suite("What has a change before it is acknowledged")
struct StandbyRuleTests {
    @Test("With several databases one that names no standby is not changed, unless that is accepted")
    func several() {
        let strict = StandbyRule(hosts: 2, acceptsLoss: false)
        let lax = StandbyRule(hosts: 2, acceptsLoss: true)
        for names in ["", " ", "\t\n "] {
            #expect(strict.judge(standbyNames: names) == .missing && !strict.judge(standbyNames: names).allowsChanges)
            #expect(lax.judge(standbyNames: names) == .lossAccepted && lax.judge(standbyNames: names).allowsChanges)
        }
        for names in ["two", "*", "ANY 1 (two, three)", " two"] {
            #expect(strict.judge(standbyNames: names) == .named && lax.judge(standbyNames: names) == .named)
            #expect(strict.judge(standbyNames: names).alarm == nil)
        }
    }

    @Test("One database needs no standby, and asks for nothing")
    func one() {
        for accepts in [false, true] {
            let state = StandbyRule(hosts: 1, acceptsLoss: accepts).judge(standbyNames: "")
            #expect(state == .notNeeded && state.allowsChanges && state.alarm == nil)
        }
    }

    @Test("A missing standby and an accepted loss are alarms that say what to do")
    func alarms() {
        let missing = StandbyState.missing.alarm?.text
        #expect(missing?.contains("changes are refused until synchronous_standby_names") == true)
        #expect(StandbyState.lossAccepted.alarm?.text.contains("remove accept_loss") == true)
    }
}
