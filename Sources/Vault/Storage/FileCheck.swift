import Glibc
import VaultPort

/// Who may use a file, and whether it is one.
enum FileCheck {
    enum Kind {
        case file, directory

        fileprivate var type: mode_t { self == .file ? S_IFREG : S_IFDIR }
        fileprivate var name: String { self == .file ? "file" : "directory" }
    }

    /// Whether the name is taken, be it by a symbolic link that leads nowhere.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// In bytes; 0 when there is no such file.
    static func size(_ path: String) -> Int {
        var info = stat()
        return lstat(path, &info) == 0 ? Int(info.st_size) : 0
    }

    /// Refuses a symbolic link, another kind of file, another owner than this process's user (or `owners`), and
    /// permissions beyond `mode`. The error has the command that mends it.
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

    /// The path as a shell takes it.
    static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// What the system says when a file cannot be used, as our error.
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
