import Names
import Testing
import VaultPort

@testable import Vault

@Suite("Whose sessions are")
struct SessionTests {
    private func session(_ id: String, _ device: DeviceID) -> StoredSession {
        StoredSession(
            logindID: Array(id.utf8), device: device, user: Array("alice".utf8), terminal: Array("tty2".utf8),
            openedMicroseconds: 17, openedAt: .seconds(20))
    }

    @Test("A session and how often its end was put off come back after a restart")
    func kept() async throws {
        let fixture = try BoxFixture()
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.enrol(vault, 1)
            try await vault.keepSession(session("c1", device))
            try await vault.setExtensions(2, of: Array("c1".utf8))
        }
        let vault = try fixture.open()
        var expected = session("c1", device)
        expected.extensions = 2
        #expect(try await vault.sessions() == [expected])
        #expect(try await vault.takeSessionsOfEarlierBoots() == [])
        try await vault.forgetSession(Array("c1".utf8))
        #expect(try await vault.sessions() == [])
    }

    @Test("A session of an earlier boot is nobody's, and is told of once, for the record")
    func reboot() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.enrol(vault, 1)
        try await vault.keepSession(session("c1", device))
        fixture.clock.reboot()
        #expect(try await vault.sessions() == [])
        #expect(try await vault.takeSessionsOfEarlierBoots() == [session("c1", device)])
        #expect(try await vault.takeSessionsOfEarlierBoots() == [])
        // After a reboot, logind uses the same names again.
        try await vault.keepSession(session("c1", device))
        #expect(try await vault.sessions() == [session("c1", device)])
    }
}
