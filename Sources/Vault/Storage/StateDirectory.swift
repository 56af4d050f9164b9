import Glibc
import VaultPort

/// The directory that holds a vault. Nobody but its owner may use it or anything in it; one process at a time does.
struct StateDirectory: ~Copyable {
    static let databaseName = "vault.sqlite3"
    /// What SQLite keeps beside a database (sqlite.org/tempfiles.html).
    static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

    /// Of a file that is not whole yet.
    static let newSuffix = ".new"

    let path: String
    /// Open for as long as the vault is: it holds the lock.
    private let descriptor: Int32

    var databasePath: String { path + "/" + Self.databaseName }

    /// Makes the directory if there is none (0700), refuses one that others can use, and takes it for this process.
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
        // Without one of these a file in it looks as if it were not there.
        let refusal = AccessFault.access(path, R_OK | W_OK | X_OK)
        guard refusal == 0 else { throw SystemFault.error(path, refusal) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw SystemFault.error(path, errno) }
        do throws(VaultError) {
            // A lock of the open file, not of the process: a second vault in this process is refused as well.
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
        // Closing alone would leave the lock with a child that is about to exec and has the open file as well (flock(2)).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    var hasDatabase: Bool { FileCheck.exists(databasePath) }

    /// Whether there is a write-ahead log with something in it.
    var hasLog: Bool { FileCheck.size(databasePath + "-wal") > 0 }

    /// Makes an empty database file: SQLite would make it with the process's umask.
    func makeDatabase() throws(VaultError) {
        let file = open(databasePath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFault.error(databasePath, errno) }
        close(file)
        try sync()
    }

    /// Sets a damaged database aside, what belongs to it included, under a name that is not taken: nothing is
    /// overwritten. The new path of the database; the old one when it could not be moved.
    func setAside(unixSeconds: Int64) -> String {
        for attempt in 0..<100 {
            let kept = databasePath + ".damaged-\(unixSeconds)" + (attempt == 0 ? "" : "-\(attempt)")
            guard !Self.databaseSuffixes.contains(where: { FileCheck.exists(kept + $0) }) else { continue }
            for suffix in Self.databaseSuffixes where FileCheck.exists(databasePath + suffix) {
                // link(2) refuses a name that is taken, rename(2) would replace it.
                guard link(databasePath + suffix, kept + suffix) == 0 else { return databasePath }
                unlink(databasePath + suffix)
            }
            try? sync()
            return kept
        }
        return databasePath
    }

    /// Writes a file (0600), durably: whole and synced under another name first, so that a crash leaves the old one or the new one.
    /// 0, or an error number.
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

    /// Makes what was created, renamed or removed here durable.
    func sync() throws(VaultError) {
        guard fsync(descriptor) == 0 else { throw SystemFault.error(path, errno) }
    }

    static func sync(directory: String) throws(VaultError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Somebody who may create in a directory but not read it cannot sync it either.
        if descriptor < 0, errno == EACCES { return }
        guard descriptor >= 0 else { throw SystemFault.error(directory, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFault.error(directory, errno) }
    }
}
