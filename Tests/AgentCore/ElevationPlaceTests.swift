import Testing

@testable import AgentCore

@Suite("From where a program asks for a password")
struct ElevationPlaceTests {
    private func session(_ change: (inout LogindSession) -> Void = { _ in }) -> LogindSession {
        var session = LogindSession(id: "c1")
        session.sessionClass = "user"
        session.seat = "seat0"
        session.isActive = true
        session.user = "alice"
        session.userID = 1000
        session.leader = 42
        change(&session)
        return session
    }

    private func allows(
        _ service: String, _ session: LogindSession, background: Bool = false, locked: Bool = false
    ) -> Bool {
        ElevationPlace(session: session, isInBackground: background, isLockedByAgent: locked)
            .allows(Array(service.utf8))
    }

    @Test("A program in the background may ask by polkit, and by nothing else")
    func background() {
        #expect(allows("sudo", session()))
        #expect(!allows("sudo", session(), background: true))
        #expect(allows("polkit-1", session(), background: true))
    }

    @Test("What the agent or its locker has locked is locked for polkit and sudo")
    func locked() {
        #expect(!allows("sudo", session(), locked: true))
        #expect(!allows("polkit-1", session(), background: true, locked: true))
        #expect(!allows("sudo", session { $0.isLocked = true }))
    }

    private func isConfirmed(
        _ session: LogindSession?, user: String = "alice", number: UInt32? = nil, process: Int32? = 42,
        own: String? = nil
    ) -> Bool {
        let claim = SessionClaim(
            session, ofUser: Array(user.utf8), number: number, process: process, processSession: own)
        if case .confirmed = claim { return true }
        return false
    }

    @Test("A session that a program names counts when logind says that it is the user's and the program's")
    func claims() {
        #expect(isConfirmed(session()))
        #expect(isConfirmed(session(), user: "ALICE", number: 1000))
        #expect(isConfirmed(session(), process: 43, own: "c1"))
        #expect(!isConfirmed(nil))
        #expect(!isConfirmed(session(), user: "bob", number: 1001))
        #expect(!isConfirmed(session(), user: "bob"))
        #expect(!isConfirmed(session(), process: 43))
        #expect(!isConfirmed(session(), process: 43, own: "c2"))
        #expect(!isConfirmed(session(), process: nil, own: "c1"))
    }
}
