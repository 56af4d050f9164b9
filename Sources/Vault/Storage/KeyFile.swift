import Glibc
import Secrets
import VaultPort

/// The file with the 32 bytes that protect every key of a vault.
enum KeyFile {
    static let name = "vault.key"
    /// Name of a new key file until it is complete.
    static let newName = name + StateDirectory.newSuffix
    static let keyBytes = 32

    /// Reads the key beside the database; makes it at first use.
    static func loadOrMake(in directory: borrowing StateDirectory) throws(VaultError) -> SecretBytes {
        let path = directory.path + "/" + name
        if !FileCheck.exists(path) {
            // Without its key, a database would be permanently unreadable, so no new key is made.
            guard !directory.hasDatabase else {
                throw .unusable(path: path, reason: "the key file is missing; restore it from a backup")
            }
            try make(in: directory)
        }
        return try read(path)
    }

    /// Reads a key that another program provides.
    static func load(_ path: String) throws(VaultError) -> SecretBytes {
        // systemd lets the service's user read a credential by an ACL, whose mask shows as the group's permissions;
        // root then owns the file (systemd.exec(5), LoadCredential=).
        try FileCheck.check(path, kind: .file, allowing: 0o640, owners: [0])
        return try read(path)
    }

    private static func read(_ path: String) throws(VaultError) -> SecretBytes {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw SystemFault.error(path, errno) }
        defer { close(file) }
        // One byte more than expected, so that a longer file is noticed.
        var key = SecretBytes(count: keyBytes + 1)
        let count = key.withMutableBytes { bytes in
            // SAFETY: the pointer and length are those of the secret's own buffer.
            bytes.withUnsafeMutableBytes { buffer in Glibc.read(file, buffer.baseAddress, buffer.count) }
        }
        guard count == keyBytes else {
            throw .unusable(path: path, reason: "it must hold exactly 32 bytes; restore it from a backup")
        }
        return key.slice(0..<keyBytes)
    }

    private static func make(in directory: borrowing StateDirectory) throws(VaultError) {
        let path = directory.path + "/" + name
        let key = SecretBytes(randomCount: keyBytes)
        let code = key.withBytes { bytes in
            // SAFETY: `put` does not keep a pointer to the secret's own buffer.
            bytes.withUnsafeBytes { StateDirectory.put($0, into: path) }
        }
        guard code == 0 else { throw SystemFault.error(path, code) }
        try directory.sync()
    }
}
