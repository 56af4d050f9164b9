import Testing

@testable import BoxAgentCommand

@Suite("What doctor says of an agent that does not answer")
struct SilentAgentTests {
    private func findings(_ change: (inout AgentFacts) -> Void) -> [(name: String, text: String, cure: String)] {
        var facts = AgentFacts()
        change(&facts)
        return SilentAgent.findings(facts).map { finding in
            #expect(finding.level == .fault)
            return (finding.name, finding.text, finding.cure)
        }
    }

    @Test("Each state of the unit has a sentence of its own, and a command that mends it")
    func states() {
        let cases: [(state: (inout AgentFacts) -> Void, what: String, cure: String)] = [
            ({ $0.hasSystemd = false }, "does not answer", "boxagentd(8)"),
            ({ $0.loadState = "not-found" }, "is not installed", "apt install boxagent"),
            ({ $0.loadState = "masked" }, "is masked", "systemctl unmask boxagentd; \(SilentAgent.startAgain)"),
            ({ ($0.activeState, $0.subState) = ("inactive", "dead") }, "is not running", "systemctl start boxagentd"),
            (
                { ($0.activeState, $0.subState, $0.isEnabled) = ("inactive", "dead", false) }, "is not running",
                "systemctl enable boxagentd; systemctl start boxagentd"
            ),
            ({ _ in }, "runs but does not answer", "systemctl restart boxagentd-pam.socket"),
            ({ ($0.activeState, $0.subState) = ("activating", "start") }, "is starting", "wait a moment"),
        ]
        for one in cases {
            let found = findings(one.state)
            #expect(found.count == 1 && found[0].name == "agent")
            #expect(found[0].text.contains(one.what), "\(found)")
            #expect(found[0].cure.contains(one.cure), "\(found)")
        }
    }

    @Test("What the agent said last is the cause, and its own cure comes before the restart")
    func lastWords() {
        for state in [("failed", "failed"), ("activating", "auto-restart")] {
            let found = findings {
                ($0.activeState, $0.subState) = state
                ($0.ending, $0.refusals) = (.exited(69), [])
                $0.lastWords = "/var/lib/boxagent is another user's; run: chown boxagent: /var/lib/boxagent"
            }
            #expect(found.map(\.text) == ["boxagentd does not start: /var/lib/boxagent is another user's"])
            #expect(
                found.map(\.cure) == ["run: chown boxagent: /var/lib/boxagent; then run: \(SilentAgent.startAgain)"])
        }
    }

    @Test("An agent that failed without a word: how it ended, and where to look")
    func noWords() {
        let root = findings { ($0.activeState, $0.ending, $0.refusals) = ("failed", .killed(11), []) }
        #expect(root.map(\.text) == ["boxagentd does not start: signal 11 ended it"])
        #expect(root.first?.cure.hasPrefix("see: journalctl -u boxagentd") == true)
        let other = findings { ($0.activeState, $0.ending) = ("failed", .exited(226)) }
        #expect(other.map(\.text) == ["boxagentd does not start: it ended with status 226"])
        #expect(other.first?.cure.hasPrefix("run this command as root") == true)
    }

    @Test("Refused files are a finding each, with place and cure, before what became of the agent")
    func refused() {
        let lines = [
            "/etc/boxagent/boxagent.toml:3: there is no key 'login.hold'; write hold_seconds",
            "/etc/boxagent/conf.d/a.toml: is another user's; run: chown root: /etc/boxagent/conf.d/a.toml",
            "something without a cure",
        ]
        let found = findings { ($0.activeState, $0.subState, $0.refusals) = ("failed", "failed", lines) }
        #expect(found.map(\.name) == ["configuration", "configuration", "configuration", "agent"])
        #expect(found[0].text == "/etc/boxagent/boxagent.toml:3: there is no key 'login.hold'")
        #expect(found[0].cure == "write hold_seconds")
        #expect(found[1].cure == "run: chown root: /etc/boxagent/conf.d/a.toml")
        #expect(!found[2].cure.isEmpty)
        #expect(found[3].text.contains("configuration is refused") && found[3].cure.hasSuffix(SilentAgent.startAgain))
    }

    @Test("Files that would be refused are named also while the agent goes on with what it read before")
    func refusedLater() {
        var facts = AgentFacts()
        #expect(SilentAgent.configuration(facts).isEmpty)
        facts.refusals = []
        #expect(SilentAgent.configuration(facts).isEmpty)
        facts.refusals = ["/etc/boxagent/boxagent.toml:1: is not TOML: oh; mend this line"]
        #expect(SilentAgent.configuration(facts).map(\.level) == [.fault])
    }

    @Test("Nobody waits for an agent that has failed or is masked; one that starts is waited for")
    func waiting() {
        func waits(_ change: (inout AgentFacts) -> Void) -> Bool {
            var facts = AgentFacts()
            change(&facts)
            return !facts.isBeyondWaiting
        }
        #expect(waits { _ in })
        #expect(waits { ($0.activeState, $0.subState) = ("activating", "start") })
        #expect(!waits { ($0.activeState, $0.subState) = ("activating", "auto-restart") })
        #expect(!waits { $0.activeState = "failed" })
        #expect(!waits { $0.loadState = "masked" })
        #expect(waits { ($0.hasSystemd, $0.activeState) = (false, "failed") })
    }
}
