import Names
import Secrets
import Testing
import VaultPort

@testable import Vault

func secret(_ text: String) -> HeldSecret { HeldSecret(SecretBytes(copying: Array(text.utf8))) }
func secret(_ bytes: [UInt8]) -> HeldSecret { HeldSecret(SecretBytes(copying: bytes)) }

extension HeldSecret {
    /// The bytes, for comparison.
    var plain: [UInt8] {
        bytes.withBytes { span in (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) } }
    }
}

/// A box's vault in a temporary directory. The test controls the clock and the hasher.
struct BoxFixture {
    let scratch: Scratch
    let clock = TestClock()
    let hasher = TestHasher()
    let deviceSecret = secret([UInt8](repeating: 0xD5, count: 32))
    let pin = secret("2468")
    let credential = secret("correct horse battery staple")

    init() throws {
        scratch = try Scratch()
    }

    /// Opens the vault. An earlier instance must be gone.
    func open(boxID: String? = nil) throws -> BoxVault {
        try BoxVault(
            directory: scratch.vault, boxID: boxID.map { Array($0.utf8) }, executor: Lane(), clock: clock,
            hasher: hasher)
    }

    /// Enrols a device whose public key has 32 bytes of `seed`.
    func enrol(
        _ vault: BoxVault, _ seed: UInt8 = 1, user: String = "ada", mode: CredentialMode = .boxHeld
    ) async throws -> DeviceID {
        try await vault.enrol(
            publicKey: [UInt8](repeating: seed, count: 32), user: Array(user.utf8), label: Array("phone".utf8),
            mode: mode
        ).id
    }

    /// Enrols a device and stores a credential for it.
    func store(_ vault: BoxVault, _ seed: UInt8 = 1, user: String = "ada") async throws -> DeviceID {
        let device = try await enrol(vault, seed, user: user)
        try await vault.storeCredential(
            device: device, pin: pin, deviceSecret: deviceSecret, credential: credential)
        return device
    }

    func open(_ vault: BoxVault, _ device: DeviceID, pin: HeldSecret? = nil) async throws -> CredentialOutcome {
        try await vault.openCredential(device: device, pin: pin ?? self.pin, deviceSecret: deviceSecret)
    }

    func spendWrong(_ count: Int, _ vault: BoxVault, _ device: DeviceID) async throws {
        for _ in 0..<count { _ = try await open(vault, device, pin: secret("0000")) }
    }
}

extension CredentialOutcome {
    /// A text for comparison.
    var words: String {
        switch self {
        case .opened(let secret): "opened \(String(decoding: secret.plain, as: UTF8.self))"
        case .stale: "stale"
        case .pinWrong(let left): "wrong, \(left) left"
        case .wiped: "wiped"
        case .lockedOut(let seconds): "locked out for \(seconds) s"
        case .noCredential: "no credential"
        }
    }
}

extension BoxVault {
    /// Gives a test access to the database under the vault.
    func onDatabase<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try body(database)
    }
}

extension PhoneVault {
    func onDatabase<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try body(database)
    }
}

/// Returns the error of an operation that should fail, or nil.
func failure(_ body: () async throws -> Void) async -> VaultError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? VaultError
    }
}
