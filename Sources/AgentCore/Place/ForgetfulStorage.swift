/// The file systems that are empty after a restart, by `f_type` of statfs(2). Pure: the shell asks the kernel.
package enum ForgetfulStorage {
    private static let (tmpfs, ramfs) = (0x0102_1994, 0x8584_58F6)
    package static let overlay = 0x794C_7630

    /// Returns the name of a file system that loses its files. Returns nil for other types, and for an overlay.
    package static func name(ofType type: Int) -> String? {
        type == tmpfs ? "tmpfs" : type == ramfs ? "ramfs" : nil
    }

    /// Returns the directory that stores an overlay's changes, or nil if it is unknown.
    ///
    /// - Parameters:
    ///   - device: `major:minor` of stat(2).
    ///   - mounts: /proc/self/mountinfo (proc(5)). If several lines have the device, the last one hides the others.
    package static func upperDirectory(ofOverlay device: String, mounts: String) -> String? {
        var found: String?
        let name = "upperdir="
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 9, words[2] == device, let options = words.last else { continue }
            found = nil
            for option in options.split(separator: ",") where option.hasPrefix(name) {
                found = String(option.dropFirst(name.utf8.count))
            }
        }
        return found
    }
}
