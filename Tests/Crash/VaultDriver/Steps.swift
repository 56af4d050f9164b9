import Names
import Secrets
import Vault
import VaultPort

/// The operations, each with a line before it and a line after it.
struct Steps {
    let vault: BoxVault

    private let right = HeldSecret(SecretBytes(copying: Array("2468".utf8)))
    private let wrong = HeldSecret(SecretBytes(copying: Array("0000".utf8)))
    private let deviceSecret = HeldSecret(SecretBytes(copying: [UInt8](repeating: 0xD5, count: 32)))
    /// A credential that must never appear in a file.
    private let credential = HeldSecret(SecretBytes(copying: Array("planted-credential-7Qx".utf8)))

    init(vault: BoxVault) {
        self.vault = vault
    }

    func enrol() async throws -> DeviceID {
        Report.say("enrolling")
        let device = try await vault.enrol(
            publicKey: randomBytes(count: X25519KeyPair.keyBytes), user: Array("ada".utf8), label: Array("phone".utf8),
            mode: .boxHeld)
        Report.say("enrolled \(device.id)")
        return device.id
    }

    func store(_ device: DeviceID) async throws {
        Report.say("storing \(device)")
        try await vault.storeCredential(
            device: device, pin: right, deviceSecret: deviceSecret, credential: credential)
        Report.say("stored \(device)")
    }

    func open(_ device: DeviceID, isRight: Bool) async throws {
        Report.say("opening \(device) \(isRight ? "right" : "wrong")")
        let outcome = try await vault.openCredential(
            device: device, pin: isRight ? right : wrong, deviceSecret: deviceSecret)
        switch outcome {
        case .opened(let opened):
            guard opened.bytes.isEqual(to: credential.bytes) else {
                throw VaultError.invalid(what: "another credential came out")
            }
            Report.say("opened \(device)")
        case .pinWrong(let left): Report.say("wrong \(device) \(left)")
        case .wiped: Report.say("wiped \(device)")
        case .stale, .lockedOut, .noCredential: throw VaultError.invalid(what: "\(device) answered \(outcome)")
        }
    }

    func change(_ device: DeviceID) async throws {
        Report.say("opening \(device) right")
        let refused = try await vault.changePIN(device: device, old: right, new: wrong, deviceSecret: deviceSecret)
        guard refused == nil else { throw VaultError.invalid(what: "the PIN was not changed") }
        Report.say("changed \(device)")
    }

    func revoke(_ device: DeviceID) async throws {
        Report.say("revoking \(device)")
        try await vault.revoke([device])
        Report.say("revoked \(device)")
    }

    func audit() async throws {
        Report.say("auditing")
        let head = try await vault.append(AuditEvent(kind: .loginCorrect, user: nil, device: nil, actor: .agent))
        Report.say("audited \(head.number)")
    }
}
