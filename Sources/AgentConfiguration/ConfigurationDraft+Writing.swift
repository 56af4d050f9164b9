import ConfigurationFile
import Glibc

/// Why a file could not be written.
public struct ConfigurationWriteError: Error, Equatable, Sendable {
    public let path: String
    /// As errno has it.
    public let number: Int32

    public var reason: String { TOMLDocument.description(ofError: number) }
}

extension ConfigurationDraft {
    /// Replaces the file, whole or not at all: what was written is on the disk before the name is the new file's (rename(2)). Makes
    /// the directory where there is none. Everybody may read it, as the administrator's own file.
    public func write() throws(ConfigurationWriteError) {
        let directory = ConfigurationDirectory.path(beside: main)
        if mkdir(directory, 0o755) == 0 {
            // Whatever umask(2) an administrator has: the agent's user reads what is in it.
            guard chmod(directory, 0o755) == 0 else { throw failure(directory) }
        } else if errno != EEXIST {
            throw failure(directory)
        }
        let next = file + ".new"
        // What an attempt that was interrupted has left, and nothing that somebody else has put there in the meantime.
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
            // SAFETY: write(2) reads the bytes that are left, which live as long as the call.
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            written += count
        }
        // As for the directory.
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func failure(_ path: String) -> ConfigurationWriteError {
        ConfigurationWriteError(path: path, number: errno)
    }
}
