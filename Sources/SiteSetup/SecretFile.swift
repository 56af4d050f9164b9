import Glibc
import Secrets

/// The reason why a file with keys cannot be used.
public struct SecretFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public let path: String
    public let what: String

    package init(path: String, what: String) {
        self.path = path
        self.what = what
    }

    public var description: String { "\(path): \(what)" }

    static func system(_ path: String, _ code: Int32, _ attempt: String) -> SecretFileError {
        SecretFileError(path: path, what: "cannot \(attempt): \(String(cString: strerror(code)))")
    }
}

/// A file that only contains keys. Only its owner can access it, and it has one exact length.
enum SecretFile {
    /// Reads `count` bytes. Refuses a link, a file of another user except root, and a file that others can access.
    static func read(_ path: String, count: Int) throws(SecretFileError) -> SecretBytes {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw .system(path, errno, "open it") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(path, errno, "read its state") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretFileError(path: path, what: "it is not a regular file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw SecretFileError(path: path, what: "it belongs to another user; run: chown \(geteuid()) \(path)")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SecretFileError(path: path, what: "other users can access it; run: chmod 600 \(path)")
        }
        // One more byte than expected, so that a longer file is noticed.
        var bytes = SecretBytes(count: count + 1)
        let read = bytes.withMutableBytes { bytes in
            // SAFETY: the pointer and length are those of the secret's own buffer.
            bytes.withUnsafeMutableBytes { buffer in Glibc.read(file, buffer.baseAddress, buffer.count) }
        }
        guard read == count else {
            throw SecretFileError(path: path, what: "it must hold exactly \(count) bytes; restore it from a backup")
        }
        return bytes.slice(0..<count)
    }

    /// Writes a new file durably. Never overwrites a file, which may be the only copy of its keys.
    static func write(_ secret: borrowing SecretBytes, to path: String) throws(SecretFileError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system(path, errno, "create it") }
        let count = secret.count
        let written = secret.withBytes { bytes in
            // SAFETY: the pointer and length are those of the secret's own buffer.
            bytes.withUnsafeBytes { buffer in Glibc.write(file, buffer.baseAddress, buffer.count) }
        }
        let synced = written == count && fsync(file) == 0
        let code = written >= 0 && written < count ? ENOSPC : errno
        close(file)
        guard synced else {
            unlink(path)
            throw .system(path, code, "write it")
        }
        syncFolder(of: path)
    }

    /// Replaces or creates a file atomically and durably: at any time there is either the old one or the new one.
    static func replace(_ secret: borrowing SecretBytes, at path: String) throws(SecretFileError) {
        let draft = path + ".new"
        // Removes the draft of a program that was killed.
        unlink(draft)
        try write(secret, to: draft)
        guard rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            throw .system(path, code, "move it into place")
        }
        syncFolder(of: path)
    }

    private static func syncFolder(of path: String) {
        let end = path.lastIndex(of: "/")
        let folder = open(end.map { path.prefix(upTo: $0) + "/" } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}
