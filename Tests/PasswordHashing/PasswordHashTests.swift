import TestVectors
import Testing

@testable import PasswordHashing
@testable import Secrets

/// The example of RFC 9106 (section 5.3) cannot run here, because libsodium's `crypto_pwhash` accepts neither its four
/// lanes, nor its secret, nor its associated data. The tests use libsodium's published vectors, and vectors of the
/// authors' reference implementation with one lane, no secret and no data.
@Suite("Argon2id", .serialized)
struct PasswordHashTests {
    @Test("libsodium's published reference vectors", arguments: try VectorFile("argon2id-libsodium.txt").cases)
    func libsodium(vector: VectorCase) throws {
        try check(vector)
    }

    @Test("Vectors of the authors' reference implementation", arguments: try VectorFile("argon2id-generated.txt").cases)
    func reference(vector: VectorCase) throws {
        try check(vector)
    }

    private func check(_ vector: VectorCase) throws {
        let cost = PasswordHashCost(
            checkedMemoryKiB: UInt32(try vector.number("memory_kib")), passes: UInt32(try vector.number("passes")))
        let expected = try vector.bytes("hash")
        let hash = try PasswordHash.hash(
            SecretBytes(copying: vector.bytes("password")), salt: vector.bytes("salt"), cost: cost,
            hashBytes: expected.count)
        #expect(hash.publicCopy == expected)
    }

    @Test("A reservation serves one hash, with the cost it was made for")
    func reservation() throws {
        let salt = [UInt8](0..<16)
        let reservation = try PasswordHash.reserve(.minimum)
        let hash = try reservation.hash(pin: SecretBytes(copying: [0x31, 0x32, 0x33, 0x34]), salt: salt)
        let direct = try PasswordHash.hash(
            SecretBytes(copying: [0x31, 0x32, 0x33, 0x34]), salt: salt, cost: .minimum)
        #expect(hash.publicCopy == direct.publicCopy)
        #expect(throws: SecretsError.reservationUsed) {
            _ = try reservation.hash(pin: SecretBytes(count: 4), salt: salt).count
        }
    }

    @Test("A salt of another length is refused", arguments: [0, 15, 17])
    func saltLength(count: Int) throws {
        let reservation = try PasswordHash.reserve(.minimum)
        #expect(throws: SecretsError.wrongLength) {
            _ = try reservation.hash(pin: SecretBytes(count: 4), salt: [UInt8](repeating: 0, count: count)).count
        }
    }

    @Test("Costs below the minimum or above the limits are refused")
    func costBounds() {
        #expect(throws: SecretsError.invalidCost) { try PasswordHashCost(memoryKiB: 32 * 1_024 - 1, passes: 3) }
        #expect(throws: SecretsError.invalidCost) { try PasswordHashCost(memoryKiB: 32 * 1_024, passes: 2) }
        #expect(throws: SecretsError.invalidCost) {
            try PasswordHashCost(memoryKiB: PasswordHashCost.memoryKiBLimit + 1, passes: 3)
        }
        #expect(throws: SecretsError.invalidCost) {
            try PasswordHashCost(memoryKiB: 32 * 1_024, passes: PasswordHashCost.passesLimit + 1)
        }
        #expect(throws: Never.self) { try PasswordHashCost(memoryKiB: 32 * 1_024, passes: 3) }
        #expect(PasswordHashCost.minimum.memoryKiB == 32 * 1_024 && PasswordHashCost.minimum.passes == 3)
    }

    @Test("Calibration never goes below the minimum nor above its memory limit")
    func calibration() throws {
        #expect(try PasswordHashCost.calibrated(target: .zero) == .minimum)
        let cost = try PasswordHashCost.calibrated(target: .milliseconds(200), memoryKiBLimit: 64 * 1_024)
        #expect((32 * 1_024...64 * 1_024).contains(cost.memoryKiB))
        #expect((3...PasswordHashCost.passesLimit).contains(cost.passes))
    }
}

extension SecretBytes {
    /// A copy to compare in tests, where nothing is really secret.
    fileprivate var publicCopy: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
