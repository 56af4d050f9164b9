import Glibc
import VaultPort

/// The file beside the vault that identifies the vault's machine; the agent defines its content. Needs an open vault.
public enum MachineFile {
    private static let name = "machine"

    /// Reads at most `limit` bytes from the start of the file; returns nil if it does not exist.
    public static func read(in directory: String, limit: Int) throws(VaultError) -> String? {
        let path = directory + "/" + name
        guard FileCheck.exists(path) else { return nil }
        try FileCheck.check(path, kind: .file, allowing: 0o600)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw SystemFault.error(path, errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, limit)
        guard count >= 0 else { throw SystemFault.error(path, errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Writes the file, which is durable on return.
    public static func write(_ text: String, in directory: String) throws(VaultError) {
        let path = directory + "/" + name
        // SAFETY: `put` does not keep a pointer to the array's buffer.
        let code = Array(text.utf8).withUnsafeBytes { StateDirectory.put($0, into: path) }
        guard code == 0 else { throw SystemFault.error(path, code) }
        try StateDirectory.sync(directory: directory)
    }
}
