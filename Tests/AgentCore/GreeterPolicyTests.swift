import AgentConfiguration
import Testing

@testable import AgentCore

@Suite struct GreeterPolicyTests {
    private let daemon: UInt32 = 990
    private var login: Configuration.Login {
        var login = Configuration().login
        login.greeterUsers = ["_greetd"]
        return login
    }

    private func allows(_ uid: UInt32, named name: String?) -> Bool {
        let caller = Caller(uid: uid, pid: 1, daemonUID: daemon)
        return ControlPolicy.allowsGreeter(named: name.map { Array($0.utf8) }, caller, login)
    }

    @Test("Root, the agent's user and the named users may greet") func rootTheAgentsUserAndTheNamedUsersMayGreet() {
        #expect(allows(0, named: "root"))
        #expect(allows(daemon, named: "boxagent"))
        #expect(allows(117, named: "_greetd"))
    }

    @Test("Everybody else is refused") func everybodyElseIsRefused() {
        #expect(!allows(1000, named: "alice"))
        #expect(!allows(1000, named: "_greet"))
        #expect(!allows(1000, named: nil))
        #expect(!allows(Caller.overflowUID, named: "_greetd"))
    }
}
