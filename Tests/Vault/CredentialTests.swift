import Secrets
import Testing

@testable import Vault

@Suite("A credential that the box holds")
struct CredentialTests {
    @Test("It opens with PIN and device secret, also after a restart, byte for byte")
    func roundTrip() async throws {
        let fixture = try BoxFixture()
        let odd = secret([UInt8](1...255) + [UInt8](1...255) + [0xFF])
        let device: DeviceID
        do {
            let vault = try fixture.open()
            device = try await fixture.enrol(vault)
            try await vault.storeCredential(
                device: device, pin: fixture.pin, deviceSecret: fixture.deviceSecret, credential: odd)
        }
        let vault = try fixture.open()
        guard case .opened(let opened) = try await fixture.open(vault, device) else {
            Issue.record("it did not open")
            return
        }
        #expect(opened.plain == odd.plain)
    }

    @Test("Every wrong PIN counts, the tenth wipes, and the caller learns what is left")
    func tenWrong() async throws {
        let fixture = try BoxFixture()
        let vault = try fixture.open()
        let device = try await fixture.store(vault)
        for left in (1...9).reversed() {
            #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wrong, \(left) left")
        }
        #expect(try await vault.credentialState(device)?.attemptsLeft == 1)
        #expect(try await fixture.open(vault, device, pin: secret("0000")).words == "wiped")
        #expect(try await vault.credentialState(device) == nil)
        let tries = fixture.hasher.tries
        #expect(try await fixture.open(vault, device).words == "wiped")
        #expect(fixture.hasher.tries == tries)
    }
}
