import ConfigurationFile
import Glibc

/// The reason why a file could not be written.
public struct ConfigurationWriteError: Error, Equatable, Sendable {
    public let path: String
    /// The value of errno.
    public let number: Int32

    public var reason: String { TOMLDocument.description(ofError: number) }
}

extension ConfigurationDraft {
    /// Replaces the file atomically: the text is on the disk before rename(2) gives it the file's name. Creates the
    /// directory if it is missing. Every user may read the file, like the administrator's own file.
    public func write() throws(ConfigurationWriteError) {
        let directory = ConfigurationDirectory.path(beside: main)
        if mkdir(directory, 0o755) == 0 {
            // The agent's user must be able to read the directory, even with a strict umask(2).
            guard chmod(directory, 0o755) == 0 else { throw failure(directory) }
        } else if errno != EEXIST {
            throw failure(directory)
        }
        let next = file + ".new"
        // Removes the rest of an interrupted attempt. O_EXCL refuses a file that another process creates meanwhile.
        unlink(next)
        let descriptor = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(next) }
        do {
            try fill(descriptor, next)
        } catch {
            close(descriptor)
            unlink(next)
            throw error
        }
        close(descriptor)
        guard rename(next, file) == 0 else {
            let error = failure(file)
            unlink(next)
            throw error
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(directory) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(directory) }
    }

    private func fill(_ descriptor: Int32, _ path: String) throws(ConfigurationWriteError) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            // SAFETY: write(2) reads the remaining bytes, which live as long as the call.
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            written += count
        }
        // The umask must not apply here either.
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func failure(_ path: String) -> ConfigurationWriteError {
        ConfigurationWriteError(path: path, number: errno)
    }
}
