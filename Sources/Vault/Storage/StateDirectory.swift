import Glibc
import Secrets

/// The directory that holds a vault, and its key file. Nobody but its owner may read or change either.
struct StateDirectory {
    static let databaseName = "vault.sqlite3"
    static let keyName = "vault.key"

    let path: String

    var databasePath: String { path + "/" + Self.databaseName }

    /// Makes the directory if there is none (0700), and refuses one that others can use.
    init(path: String) throws(VaultError) {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw Self.unusable(path, errno)
        }
        try Self.check(path, type: S_IFDIR, cure: "chmod 700")
        for name in [Self.databaseName, Self.keyName] where access(path + "/" + name, F_OK) == 0 {
            try Self.check(path + "/" + name, type: S_IFREG, cure: "chmod 600")
        }
    }

    /// The 32 bytes of the key file, made on first use (O_EXCL, 0600, synced with its directory).
    func loadOrMakeKey() throws(VaultError) -> SecretBytes {
        let keyPath = path + "/" + Self.keyName
        if access(keyPath, F_OK) != 0 { try makeKey(keyPath) }
        return try Self.readKey(keyPath)
    }

    /// Reads a key of exactly 32 bytes.
    static func readKey(_ path: String) throws(VaultError) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw unusable(path, errno) }
        defer { close(descriptor) }
        var key = SecretBytes(count: 33)
        let count = key.withMutableBytes { bytes in
            bytes.withUnsafeMutableBytes { buffer in
                // SAFETY: the pointer and length are those of the secret's own buffer.
                read(descriptor, buffer.baseAddress, buffer.count)
            }
        }
        guard count == 32 else { throw .unusable(path: path, reason: "it should hold exactly 32 bytes") }
        return key.slice(0..<32)
    }

    private func makeKey(_ keyPath: String) throws(VaultError) {
        // A database without its key would be unreadable for good: it is not given a new one.
        guard access(databasePath, F_OK) != 0 else {
            throw .unusable(path: keyPath, reason: "the key file is missing; restore it from a backup")
        }
        let descriptor = open(keyPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unusable(keyPath, errno) }
        defer { close(descriptor) }
        let key = SecretBytes(randomCount: 32)
        let written = key.withBytes { bytes in
            bytes.withUnsafeBytes { buffer in
                // SAFETY: the pointer and length are those of the secret's own buffer.
                write(descriptor, buffer.baseAddress, buffer.count)
            }
        }
        guard written == 32, fsync(descriptor) == 0 else {
            let reason = errno
            unlink(keyPath)
            throw reason == ENOSPC ? .diskFull : Self.unusable(keyPath, reason)
        }
        try Self.sync(directory: path)
    }

    /// Sets a damaged database aside under a name that is not taken; nothing is overwritten.
    func setAside(unixSeconds: Int64) -> String {
        for attempt in 0..<100 {
            let name = "\(databasePath).damaged-\(unixSeconds)" + (attempt == 0 ? "" : "-\(attempt)")
            // link(2) refuses an existing name, rename(2) would replace it.
            guard link(databasePath, name) == 0 else { continue }
            unlink(databasePath)
            for suffix in ["-wal", "-shm"] where link(databasePath + suffix, name + suffix) == 0 {
                unlink(databasePath + suffix)
            }
            return name
        }
        return databasePath
    }

    private static func sync(directory: String) throws(VaultError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unusable(directory, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw unusable(directory, errno) }
    }

    private static func check(_ path: String, type: UInt32, cure: String) throws(VaultError) {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw unusable(path, errno) }
        guard info.st_mode & S_IFMT == type else {
            throw .unusable(path: path, reason: "it should be a plain \(type == S_IFDIR ? "directory" : "file")")
        }
        guard info.st_uid == geteuid() else {
            throw .wrongPermissions(path: path, cure: "chown \(geteuid()) '\(path)'")
        }
        guard info.st_mode & 0o077 == 0 else {
            throw .wrongPermissions(path: path, cure: "\(cure) '\(path)'")
        }
    }

    private static func unusable(_ path: String, _ code: Int32) -> VaultError {
        switch code {
        case ENOSPC: .diskFull
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: .wrongPermissions(path: path, cure: "chown -R \(geteuid()) '\(path)'")
        default: .unusable(path: path, reason: String(cString: strerror(code)))
        }
    }
}
