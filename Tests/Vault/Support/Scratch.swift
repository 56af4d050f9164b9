import Glibc
import Testing

/// A temporary directory for one test. The vault is in `vault` below it.
final class Scratch: Sendable {
    let path: String

    var vault: String { path + "/vault" }
    var database: String { vault + "/vault.sqlite3" }
    var key: String { vault + "/vault.key" }

    init() throws {
        var template = Array("/tmp/boxagent-vault-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        try #require(made != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in Self.names(in: vault) { unlink(vault + "/" + name) }
        for name in Self.names(in: path) where unlink(path + "/" + name) != 0 { rmdir(path + "/" + name) }
        rmdir(path)
    }

    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the descriptors with which this process has the file open.
    static func descriptors(of path: String) -> [Int32] {
        names(in: "/proc/self/fd").compactMap { name in
            guard let resolved = realpath("/proc/self/fd/" + name, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved) == path ? Int32(name) : nil
        }
    }

    static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(file >= 0)
        defer { close(file) }
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
        try #require(fchmod(file, mode) == 0)
    }

    /// Returns the bytes of every file in the vault, by name.
    func files() -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: Self.names(in: vault).map { ($0, Self.read(vault + "/" + $0)) })
    }

    static func mode(_ path: String) -> mode_t {
        var info = stat()
        return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : 0
    }
}

extension [UInt8] {
    /// Returns whether these bytes contain `other`.
    func holds(_ other: [UInt8]) -> Bool {
        guard let first = other.first, other.count <= count else { return false }
        return (0...(count - other.count)).contains { start in
            self[start] == first && self[start..<start + other.count].elementsEqual(other)
        }
    }
}
