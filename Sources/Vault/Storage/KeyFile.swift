import Glibc
import Secrets
import VaultPort

/// The file with the 32 bytes that every key of a vault hangs on.
enum KeyFile {
    static let name = "vault.key"
    /// Where a new key is written until it is whole.
    static let newName = "vault.key.new"
    static let keyBytes = 32

    /// The key beside the database, made on first use.
    static func loadOrMake(in directory: borrowing StateDirectory) throws(VaultError) -> SecretBytes {
        let path = directory.path + "/" + name
        if !FileCheck.exists(path) {
            // A database without its key would be unreadable for good: it is not given a new one.
            guard !directory.hasDatabase else {
                throw .unusable(path: path, reason: "the key file is missing; restore it from a backup")
            }
            try make(path, in: directory)
        }
        return try read(path)
    }

    /// A key that somebody else provides.
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
        // One more than it should be, so that a longer file is noticed.
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

    /// Written whole and synced under another name first: a crash leaves no key file or a good one.
    private static func make(_ path: String, in directory: borrowing StateDirectory) throws(VaultError) {
        let new = directory.path + "/" + newName
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFault.error(new, errno) }
        defer { close(file) }
        let key = SecretBytes(randomCount: keyBytes)
        let written = key.withBytes { bytes in
            // SAFETY: the pointer and length are those of the secret's own buffer.
            bytes.withUnsafeBytes { buffer in write(file, buffer.baseAddress, buffer.count) }
        }
        guard written == keyBytes, fsync(file) == 0, rename(new, path) == 0 else {
            let code = written >= 0 && written < keyBytes ? ENOSPC : errno
            unlink(new)
            throw SystemFault.error(path, code)
        }
        try directory.sync()
    }
}
