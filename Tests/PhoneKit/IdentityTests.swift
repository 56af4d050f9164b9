import Secrets
import SecureChannel
import Testing

@testable import PhoneCore
@testable import PhoneKit

@Suite("Who a box is")
struct IdentityTests {
    /// Logs in at a box that now shows the identity from `change`. Returns the error and the first messages received.
    private func meets(
        _ change: @escaping @Sendable (FakeBox, PhoneFixture) async throws -> [UInt8]
    ) throws -> (error: PhoneError?, heard: Int) {
        let fixture = try PhoneFixture()
        return try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            let identity = try await change(box, fixture)
            let before = await box.firstMessages
            await box.change { $0.shownIdentity = identity }
            let phone = fixture.phone()
            do throws(PhoneError) {
                _ = try await phone.login(try await phone.target(nil), credential: secret("pw"), fixture.interaction)
                return (nil, await box.firstMessages - before)
            } catch {
                return (error, await box.firstMessages - before)
            }
        }
    }

    private func identity(
        digits: String = "1234", key: [UInt8], serial: UInt64 = 1, seed: UInt8 = 1
    ) throws -> BoxIdentity {
        let authority = try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: seed, count: 32)))
        let certificate = try BoxCertificate.issue(
            boxID: Array(digits.utf8), boxKey: key, serial: serial, authority: authority)
        return try BoxIdentity(certificate: certificate, authority: authority.publicKey)
    }

    @Test("Another authority's certificate is refused before a word")
    func otherAuthority() throws {
        let met = try meets { box, _ in try self.identity(key: box.publicKey, seed: 2).bytes }
        #expect(met.error == .notTheBox(boxID: "1234", .otherAuthority))
        #expect(met.heard == 0)
    }

    @Test("A certificate that names the authority and is not signed by it is refused before a word")
    func badSignature() throws {
        let met = try meets { box, _ in
            let false_ = try self.identity(key: box.publicKey, seed: 2).bytes
            let named = try self.identity(key: box.publicKey, seed: 1).bytes
            return Array(false_.dropLast(8)) + named.suffix(8)
        }
        #expect(met.error == .notTheBox(boxID: "1234", .badSignature))
        #expect(met.heard == 0)
    }

    @Test("The authority's other boxes are refused before a word, whatever digits they show")
    func otherKey() throws {
        let met = try meets { _, _ in try self.identity(key: X25519KeyPair().publicKey).bytes }
        #expect(met.error == .notTheBox(boxID: "1234", .otherKey))
        #expect(met.heard == 0)
        let other = try meets { box, _ in try self.identity(digits: "4321", key: box.publicKey).bytes }
        #expect(other.error == .notTheBox(boxID: "1234", .otherDigits))
    }

    @Test("A serial that was raised is not lowered again")
    func olderCertificate() throws {
        let met = try meets { box, fixture in
            await box.change { $0.serial = 7 }
            let phone = fixture.phone()
            await box.change { $0.script = { [(.zero, .result($0.id, .noSession, .none))] } }
            _ = try await phone.lock(try await phone.target(nil))
            return try self.identity(key: box.publicKey, serial: 6).bytes
        }
        #expect(met.error == .notTheBox(boxID: "1234", .olderCertificate(serial: 6, seen: 7)))
        #expect(met.heard == 0)
    }

    @Test("What cannot be read, or is of another version, is refused before a word")
    func unreadable() throws {
        for bytes in [[], [2], [UInt8](repeating: 2, count: 500)] as [[UInt8]] {
            #expect(try meets { _, _ in bytes }.error == .notTheBox(boxID: "1234", .unreadable))
        }
        let older = try meets { box, _ in [1] + (try self.identity(key: box.publicKey).bytes.dropFirst()) }
        #expect(older.error == .notTheBox(boxID: "1234", .otherVersion))
    }

    @Test("Every single bit of the identity counts: flipped, no password is sent")
    func bitFlips() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            let known = try await fixture.enrolled(at: box)
            let identity = try await box.identity
            var refused = 0
            // Later boxes may use other versions and flags, and the handshake's prologue covers these two bytes.
            for bit in 16..<identity.count * 8 {
                var flipped = identity
                flipped[bit / 8] ^= 1 << (bit % 8)
                if (try? known.expectedIdentity.check(flipped)) == nil { refused += 1 }
            }
            #expect(refused == (identity.count - 2) * 8)
        }
    }

    @Test("A double that shows the very identity of the box cannot answer the handshake")
    func copiedIdentity() throws {
        let fixture = try PhoneFixture()
        try fixture.world.run {
            let box = try FakeBox(in: fixture.world)
            fixture.air.add(box)
            _ = try await fixture.enrolled(at: box)
            let identity = try await box.identity
            let double = try FakeBox(in: fixture.world)
            await double.change { $0.shownIdentity = identity }
            fixture.air.clear()
            fixture.air.add(double)
            let phone = fixture.phone()
            let target = try await phone.target(nil)
            await #expect(throws: PhoneError.notAccepted(boxID: "1234")) {
                try await phone.login(target, credential: secret("pw"), fixture.interaction)
            }
            #expect(await double.requests.isEmpty)
        }
    }
}
