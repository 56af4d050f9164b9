import Secrets
import VaultPort

/// Bounds of the values that a phone sends; checked before anything is spent on them.
enum SecretBounds {
    /// A PIN of at most 32 scalars in UTF-8.
    static let pinBytes = 1...128
    static let deviceSecretBytes = 32
    /// The limit of PAM and crypt. An empty password would be an anonymous LDAP bind (docs/decisions/008-vault.md).
    static let credentialBytes = 1...511

    static func check(pin: HeldSecret) throws(VaultError) {
        guard pinBytes.contains(pin.count) else { throw .invalid(what: "a PIN must have 1 to 128 bytes") }
    }

    static func check(deviceSecret: HeldSecret) throws(VaultError) {
        guard deviceSecret.count == deviceSecretBytes else {
            throw .invalid(what: "a device secret must have 32 bytes")
        }
    }

    static func check(credential: HeldSecret) throws(VaultError) {
        let hasZero = credential.bytes.withBytes { bytes in
            (0..<bytes.byteCount).contains { PaddedCredential.byte(bytes, $0) == 0 }
        }
        guard credentialBytes.contains(credential.count), !hasZero else {
            throw .invalid(what: "a password must have 1 to 511 bytes and no zero byte; enter another")
        }
    }
}
