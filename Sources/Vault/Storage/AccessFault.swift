import Glibc
import VaultPort

/// Explains why the system denies this process a file: the directory, owner or mode at fault, and the command that
/// fixes it (path_resolution(7)). It examines the path after the failed call, so the state may have changed since.
enum AccessFault {
    /// Makes the error; `code` is EACCES or EPERM, from a call with `path`.
    static func error(_ path: String, _ code: Int32) -> VaultError {
        for directory in directories(above: path) where access(directory, X_OK) == EACCES {
            guard let info = status(directory) else { break }
            if HomeDirectory.isOne(directory) { return HomeDirectory.refusal(of: directory, for: path) }
            let who = info.st_uid == geteuid() ? "u" : "o"
            return .wrongPermissions(
                path: directory, reason: "cannot be entered by user \(geteuid()), who needs \(path)",
                cure: "chmod \(who)+x \(FileCheck.quoted(directory))")
        }
        guard let info = status(path) else { return cannotMake(path, code) }
        return refused(path, info) ?? unexplained(path, code)
    }

    /// Returns 0 if the effective user of this process may use a file, or the error number.
    static func access(_ path: String, _ mode: Int32) -> Int32 {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno
    }

    /// Returns the directory in which a name would be created.
    static func parent(of path: String) -> String { directories(above: path).last ?? "." }

    private static func cannotMake(_ path: String, _ code: Int32) -> VaultError {
        let parent = parent(of: path)
        guard access(parent, W_OK) == EACCES, let info = status(parent) else {
            return unexplained(path, code)
        }
        if HomeDirectory.isOne(parent) { return HomeDirectory.refusal(of: parent, for: path) }
        if info.st_uid == geteuid() { return refused(parent, info) ?? unexplained(path, code) }
        return .wrongPermissions(
            path: path, reason: "cannot be created: user \(geteuid()) may not write in \(parent)",
            cure: "install -d -m 700 -o \(geteuid()) \(FileCheck.quoted(path))")
    }

    /// Explains the refusal of an existing file by its owner or mode.
    private static func refused(_ path: String, _ info: stat) -> VaultError? {
        guard info.st_uid == geteuid() else { return foreign(path, owner: info.st_uid) }
        let needed: mode_t = info.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
        guard info.st_mode & needed != needed else { return nil }
        if HomeDirectory.isOne(path) { return HomeDirectory.refusal(of: path, for: path) }
        return .wrongPermissions(
            path: path, reason: "denies access even to its owner, user \(geteuid()) (mode \(octal(info.st_mode)))",
            cure: "chmod u+rw\(needed == 0o700 ? "x" : "") \(FileCheck.quoted(path))")
    }

    static func foreign(_ path: String, owner: uid_t) -> VaultError {
        .wrongPermissions(
            path: path, reason: "belongs to user \(owner), not to user \(geteuid())",
            cure: "chown \(geteuid()) \(FileCheck.quoted(path))")
    }

    /// For refusals that owner and mode do not explain: an attribute, an access list, or the program's confinement.
    private static func unexplained(_ path: String, _ code: Int32) -> VaultError {
        .unusable(
            path: path,
            reason: """
                \(String(cString: strerror(code))), although owner and mode allow it; check lsattr, getfacl, and the \
                confinement of this program (systemd, AppArmor)
                """)
    }

    /// Returns the permission bits in octal, as ls and chmod write them.
    static func octal(_ mode: mode_t) -> String {
        let digits = String(mode & 0o777, radix: 8)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    /// Returns the directories, outermost first: "/", "/a" and "/a/b" for "/a/b/c".
    private static func directories(above path: String) -> [String] {
        var found = [path.hasPrefix("/") ? "/" : "."]
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            let directory = String(path[..<slash])
            if !directory.isEmpty, slash < path.index(before: path.endIndex), directory != found.last {
                found.append(directory)
            }
            end = path.index(after: slash)
        }
        return found
    }

    private static func status(_ path: String) -> stat? {
        var info = stat()
        return lstat(path, &info) == 0 ? info : nil
    }
}
