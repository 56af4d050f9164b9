import ConfigurationFile
import Glibc

/// The directory conf.d beside the administrator's file. Packages, tools and `boxagent config set` write to it.
enum ConfigurationDirectory {
    /// The most files that are read. More are probably a mistake and are refused.
    static let fileLimit = 64

    static func path(beside file: String) -> String {
        let folder = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[..<$0]) } ?? "."
        return folder + "/conf.d"
    }

    /// Returns the files whose names end with .toml and do not begin with a dot, sorted by the bytes of their names.
    /// Returns an empty list if there is no directory.
    static func files(beside file: String) throws(ConfigurationError) -> [String] {
        let directory = path(beside: file)
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw refusal(
                directory, "cannot be read: \(TOMLDocument.description(ofError: errno))",
                "check that it is a directory and that this user may read it: ls -ld \(directory)")
        }
        defer { closedir(stream) }
        try check(dirfd(stream), directory)
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = bytes(of: entry)
            if name.first != UInt8(ascii: "."), name.ends(with: ".toml") { names.append(name) }
        }
        guard names.count <= fileLimit else {
            throw refusal(directory, "has more than \(fileLimit) files", "move their lines into fewer files")
        }
        names.sort { $0.lexicographicallyPrecedes($1) }
        return names.map { directory + "/" + String(decoding: $0, as: UTF8.self) }
    }

    /// Refuses a directory that other users can write to, because its files configure the agent.
    private static func check(_ descriptor: Int32, _ directory: String) throws(ConfigurationError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw refusal(
                directory, "cannot be examined: \(TOMLDocument.description(ofError: errno))", "check it with stat(1)")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw refusal(
                directory, "must belong to root or to the user who reads it",
                "run: chown root: \(directory)")
        }
        guard status.st_mode & S_IWOTH == 0 else {
            throw refusal(
                directory, "is writable by every user of this machine", "run: chmod o-w \(directory)")
        }
    }

    private static func bytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        // SAFETY: readdir(3) fills the entry's name and ends it with NUL. The entry lives until the next call.
        withUnsafeBytes(of: &entry.pointee.d_name) { name in Array(name.prefix { $0 != 0 }) }
    }

    private static func refusal(_ path: String, _ what: String, _ cure: String) -> ConfigurationError {
        ConfigurationError(problem: ConfigurationProblem(path: path, what: what, cure: cure))
    }
}

extension [UInt8] {
    fileprivate func ends(with suffix: StaticString) -> Bool {
        count > suffix.utf8CodeUnitCount && self.suffix(suffix.utf8CodeUnitCount).elementsEqual(suffix.description.utf8)
    }
}
