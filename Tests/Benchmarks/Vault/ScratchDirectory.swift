import Glibc

/// A directory for the benchmark's vaults.
struct ScratchDirectory: Sendable {
    let path: String

    init?() {
        var template = Array("/tmp/boxagent-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the directory and its vaults, which contain only files.
    func remove() {
        for vault in ["small", "large", "attempts"] {
            for file in ["vault.key", "vault.sqlite3", "vault.sqlite3-wal"] {
                unlink("\(path)/\(vault)/\(file)")
            }
            rmdir("\(path)/\(vault)")
        }
        rmdir(path)
    }
}
