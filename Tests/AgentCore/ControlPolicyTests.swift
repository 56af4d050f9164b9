import ControlProtocol
import Testing

@testable import AgentCore

@Suite("Who may ask what on the control socket")
struct ControlPolicyTests {
    @Test("The audit log and the devices are the administrator's, however little of them is asked for")
    func auditLog() {
        let requests: [ControlRequest] = [
            .audit(after: 0, limit: 1), .verifyAudit, .auditSegments(after: 0, sealing: false),
            .pruneAudit(through: 1), .devices,
        ]
        let person = Caller(uid: 1_000, pid: 1, daemonUID: 100)
        let root = Caller(uid: 0, pid: 1, daemonUID: 100)
        for request in requests {
            #expect(!ControlPolicy.allows(request, person))
            #expect(ControlPolicy.allows(request, root))
        }
        #expect(ControlPolicy.allows(.identity, person))
    }

    @Test("Joining a site and leaving it are the administrator's; everybody may see the site")
    func site() {
        let person = Caller(uid: 1_000, pid: 1, daemonUID: 100)
        for request in [
            ControlRequest.joinSite(code: 0..<0), .leaveSite, .importSite(part: [], isLast: true),
        ] {
            #expect(!ControlPolicy.allows(request, person))
            #expect(ControlPolicy.allows(request, Caller(uid: 0, pid: 1, daemonUID: 100)))
        }
        #expect(ControlPolicy.allows(.site, person))
    }
}
