import AuditLog
import Glibc
import Secrets

/// `audit.head` in a server's state directory: the newest accepted entry of the audit table. An intruder who can only
/// write to the database cannot change it.
public enum AuditHeadFile {
    private static let count = AuditHead.start.bytes.count

    public static func path(in directory: String) -> String { directory + "/audit.head" }

    /// Returns nil if the file does not exist. The server then accepts the table as it is.
    public static func read(in directory: String) throws(SecretFileError) -> AuditHead? {
        let path = path(in: directory)
        guard ServerKeyFiles.exists(path) else { return nil }
        let bytes = try SecretFile.read(path, count: count)
        return AuditHead(bytes: (0..<count).map { bytes.byte(at: $0) })
    }

    /// Removes the file, because a new site begins.
    static func remove(in directory: String) { unlink(path(in: directory)) }

    /// Replaces the file durably.
    public static func write(_ head: AuditHead, in directory: String) throws(SecretFileError) {
        try SecretFile.replace(SecretBytes(copying: head.bytes), at: path(in: directory))
    }
}
