import Glibc
import VaultPort

/// Checks who may use a file, and of which type it is.
enum FileCheck {
    enum Kind {
        case file, directory

        fileprivate var type: mode_t { self == .file ? S_IFREG : S_IFDIR }
        fileprivate var name: String { self == .file ? "file" : "directory" }
    }

    /// Returns whether the name is in use, even by a dangling symbolic link.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// Returns the size in bytes; 0 if the file does not exist.
    static func size(_ path: String) -> Int {
        var info = stat()
        return lstat(path, &info) == 0 ? Int(info.st_size) : 0
    }

    /// Refuses a symbolic link, another file type, an owner other than this process's user or `owners`, and permissions
    /// beyond `mode`. The error contains the command that fixes the problem.
    static func check(
        _ path: String, kind: Kind, allowing mode: mode_t, owners: [uid_t] = []
    ) throws(VaultError) {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw SystemFault.error(path, errno) }
        guard info.st_mode & S_IFMT != S_IFLNK else {
            throw .unusable(path: path, reason: "it is a symbolic link; replace it with the \(kind.name) itself")
        }
        guard info.st_mode & S_IFMT == kind.type else {
            throw .unusable(path: path, reason: "it must be a plain \(kind.name)")
        }
        guard info.st_uid == geteuid() || owners.contains(info.st_uid) else {
            throw AccessFault.foreign(path, owner: info.st_uid)
        }
        guard info.st_mode & 0o777 & ~mode == 0 else {
            if HomeDirectory.isOne(path) { throw HomeDirectory.refusal(of: path, for: path) }
            throw .wrongPermissions(
                path: path, reason: "is accessible to other users (mode \(AccessFault.octal(info.st_mode)))",
                cure: "chmod \(String(mode, radix: 8)) \(quoted(path))")
        }
    }

    /// Quotes the path for a shell.
    static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// Converts the system's error about a file to ours.
enum SystemFault {
    static func error(_ path: String, _ code: Int32) -> VaultError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: AccessFault.error(path, code)
        default: .unusable(path: path, reason: String(cString: strerror(code)))
        }
    }
}
