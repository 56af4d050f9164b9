import CLinux
import Glibc

/// A few queries about directories and files.
public enum Directories {
    /// Returns at most `limit` names in a directory, without "." and ".."; empty if it cannot be read.
    public static func names(in path: String, limit: Int) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(directory) {
            // SAFETY: d_name ends with NUL, and is copied before the next readdir(3).
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the type of a directory's file system (statfs(2)) and its device as `major:minor`, or nil on failure.
    public static func storage(of path: String) -> (type: Int, device: String)? {
        var (type, major, minor) = (0, UInt32(0), UInt32(0))
        guard clinux_file_system(path, &type, &major, &minor) == 0 else { return nil }
        return (type, "\(major):\(minor)")
    }

    /// Returns the inode number of a directory, or nil if there is none. No other directory of its file system has it.
    public static func number(of path: String) -> UInt64? {
        var (device, number, isSocket) = (UInt64(0), UInt64(0), Int32(0))
        return clinux_inode(path, &device, &number, &isSocket) == 0 ? number : nil
    }

    /// Returns the target of a symbolic link, or nil if it cannot be read.
    public static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes a directory that only its owner can enter. An existing one is left unchanged.
    public static func makePrivate(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw SystemError(code: errno, attempt: "make the directory \(path)")
    }

    /// Returns the first line of a small file, such as the kernel's in /sys; nil if it cannot be read.
    public static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
