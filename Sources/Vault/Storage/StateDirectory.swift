import Glibc
import VaultPort

/// The directory that holds a vault. Only its owner may use it and its files, and only one process at a time.
struct StateDirectory: ~Copyable {
    static let databaseName = "vault.sqlite3"
    /// The files that SQLite keeps beside a database (sqlite.org/tempfiles.html).
    static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

    /// Suffix of a file that is not complete yet.
    static let newSuffix = ".new"

    let path: String
    /// Open while the vault is open; holds the lock.
    private let descriptor: Int32

    var databasePath: String { path + "/" + Self.databaseName }

    /// Makes the directory if it does not exist (0700), refuses one that others can use, and locks it for this process.
    init(path: String) throws(VaultError) {
        let descriptor = try Self.openLocked(path)
        self.path = path
        self.descriptor = descriptor
    }

    private static func openLocked(_ path: String) throws(VaultError) -> Int32 {
        if mkdir(path, 0o700) == 0 {
            try sync(directory: path + "/..")
        } else if errno == ENOENT {
            throw .unusable(
                path: path,
                reason: """
                    the directory \(AccessFault.parent(of: path)) does not exist; create it, or choose another place
                    """)
        } else if errno != EEXIST {
            throw SystemFault.error(path, errno)
        }
        try FileCheck.check(path, kind: .directory, allowing: 0o700)
        // Without these permissions, files inside seem not to exist.
        let refusal = AccessFault.access(path, R_OK | W_OK | X_OK)
        guard refusal == 0 else { throw SystemFault.error(path, refusal) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemFault.error(path, errno) }
        do throws(VaultError) {
            // The lock belongs to the open file, not to the process, so it also refuses a second vault in this process.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw errno == EWOULDBLOCK ? .locked(path: path) : SystemFault.error(path, errno)
            }
            let names = databaseSuffixes.map { databaseName + $0 } + [KeyFile.name, KeyFile.newName]
            for name in names where FileCheck.exists(path + "/" + name) {
                try FileCheck.check(path + "/" + name, kind: .file, allowing: 0o600)
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        // Closing alone may leave the lock with a child that has the open file and has not reached exec yet (flock(2)).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    var hasDatabase: Bool { FileCheck.exists(databasePath) }

    /// True if a write-ahead log with content exists.
    var hasLog: Bool { FileCheck.size(databasePath + "-wal") > 0 }

    /// Makes an empty database file, because SQLite would apply the process's umask.
    func makeDatabase() throws(VaultError) {
        let file = open(databasePath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFault.error(databasePath, errno) }
        close(file)
        try sync()
    }

    /// Renames a damaged database and its files to a free name, without overwriting anything. Returns the new path, or
    /// the old one if it could not be moved.
    func setAside(unixSeconds: Int64) -> String {
        for attempt in 0..<100 {
            let kept = databasePath + ".damaged-\(unixSeconds)" + (attempt == 0 ? "" : "-\(attempt)")
            guard !Self.databaseSuffixes.contains(where: { FileCheck.exists(kept + $0) }) else { continue }
            for suffix in Self.databaseSuffixes where FileCheck.exists(databasePath + suffix) {
                // link(2) refuses a name that exists; rename(2) would replace the file.
                guard link(databasePath + suffix, kept + suffix) == 0 else { return databasePath }
                unlink(databasePath + suffix)
            }
            try? sync()
            return kept
        }
        return databasePath
    }

    /// Writes a file (0600) durably. It is first completed and synced under another name, so that a crash leaves the
    /// old or the new content. Returns 0 or an error number.
    static func put(_ bytes: UnsafeRawBufferPointer, into path: String) -> Int32 {
        let new = path + newSuffix
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        // SAFETY: the pointer and length are those of the caller's own buffer.
        let written = write(file, bytes.baseAddress, bytes.count)
        guard written == bytes.count, fsync(file) == 0, rename(new, path) == 0 else {
            let code = written >= 0 && written < bytes.count ? ENOSPC : errno
            unlink(new)
            return code
        }
        return 0
    }

    /// Makes files durable that were created, renamed or removed here.
    func sync() throws(VaultError) {
        guard fsync(descriptor) == 0 else { throw SystemFault.error(path, errno) }
    }

    static func sync(directory: String) throws(VaultError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A user who may create files in a directory but not read it cannot sync it either.
        if descriptor < 0, errno == EACCES { return }
        guard descriptor >= 0 else { throw SystemFault.error(directory, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFault.error(directory, errno) }
    }
}
