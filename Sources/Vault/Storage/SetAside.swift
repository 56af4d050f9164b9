import Glibc
import VaultPort

/// Damaged databases that were set aside, each with its log.
///
/// Their content is sealed under keys that the vault still has: a wrapped key in such a file survives every wipe of the
/// current database. It is unknown whose credentials a damaged file holds, so a command to destroy a credential
/// destroys all these files. Changing the box secret instead is not possible: systemd may provide it, and the
/// administrator would lose data that can still be recovered.
extension StateDirectory {
    private static let mark = databaseName + ".damaged-"
    private static let chunkBytes = 65_536

    /// Returns the names of the files, sorted.
    func setAsideNames() throws(VaultError) -> [String] {
        guard let stream = opendir(path) else { throw SystemFault.error(path, errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // SAFETY: d_name is a NUL-terminated string inside the record, which is alive until the next call.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name.hasPrefix(Self.mark) { names.append(name) }
        }
        guard errno == 0 else { throw SystemFault.error(path, errno) }
        return names.sorted()
    }

    /// Overwrites and removes the files durably, and returns their names. This last step of a wipe throws its errors.
    @discardableResult
    func destroySetAside() throws(VaultError) -> [String] {
        let names = try setAsideNames()
        guard !names.isEmpty else { return [] }
        for name in names { try Self.destroy(path + "/" + name) }
        try sync()
        return names
    }

    /// Destroys one file. After a crash, its name remains, and the next command finds it.
    private static func destroy(_ path: String) throws(VaultError) {
        try FileCheck.check(path, kind: .file, allowing: 0o777)
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw SystemFault.error(path, errno) }
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: chunkBytes)
        var left = FileCheck.size(path)
        while left > 0 {
            let count = write(file, zeros, min(left, zeros.count))
            guard count > 0 else { throw SystemFault.error(path, count < 0 ? errno : ENOSPC) }
            left -= count
        }
        guard fsync(file) == 0, unlink(path) == 0 else { throw SystemFault.error(path, errno) }
    }
}
