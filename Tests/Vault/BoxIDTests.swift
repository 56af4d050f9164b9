import Secrets
import Testing
import VaultPort

@testable import Vault

@Suite("The box's digits")
struct BoxIDTests {
    /// Opens the vault, closes it again, and returns the box ID and the serial.
    private func look(_ box: BoxFixture, boxID: String? = nil) async throws -> (digits: [UInt8], serial: UInt64) {
        let vault = try box.open(boxID: boxID)
        return (await vault.boxID, try await vault.withKeys { (_, _, serial) throws(VaultError) in serial })
    }

    @Test("They are drawn once, and stay")
    func drawn() async throws {
        let box = try BoxFixture()
        let first = try await look(box)
        #expect(first.digits.count == 4 && first.digits.allSatisfy { (0x30...0x39).contains($0) })
        #expect(first.serial == 1)
        #expect(try await look(box) == first)
    }

    @Test(
        """
        Other digits that are configured raise the serial once, at least to the time, so that a vault restored from a copy does \
        not fall back; those that were drawn come back without them
        """)
    func configured() async throws {
        let box = try BoxFixture()
        let drawn = try await look(box).digits
        let now = UInt64(box.clock.unixSeconds)
        for _ in 0..<2 { #expect(try await look(box, boxID: "001128") == (Array("001128".utf8), now)) }
        #expect(try await look(box, boxID: "55555") == (Array("55555".utf8), now + 1))
        #expect(try await look(box) == (drawn, now + 2))
        // A configured ID that equals the drawn digits is not a change.
        #expect(try await look(box, boxID: String(decoding: drawn, as: UTF8.self)) == (drawn, now + 2))
    }

    @Test("A credential that the box holds opens whatever the box is called meanwhile")
    func credentials() async throws {
        let box = try BoxFixture()
        let device = try await box.store(box.open())
        for digits in ["4711", "471100", nil] {
            guard case .opened(let credential) = try await box.open(box.open(boxID: digits), device) else {
                Issue.record("not opened as \(digits ?? "drawn")")
                continue
            }
            #expect(credential.plain == box.credential.plain)
        }
    }
}
