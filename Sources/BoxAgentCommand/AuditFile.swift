import AuditLog
import CommandTool
import Glibc
import Secrets
import TextOutput

/// Reads and verifies an exported log without the box.
enum AuditFile {
    /// Verifies a file and describes it. Throws unless the file is intact and the expected authority signed it.
    static func verify(_ path: String, authority: String?, socket: String) throws(CommandFailure) -> String {
        let summary = try check(path)
        let signer = Hex.text(Array(SHA256.hash(summary.authority).prefix(8)))
        let expected: String
        if let authority { expected = authority } else { expected = try localAuthority(socket) }
        guard signer == expected || Hex.text(summary.authority) == expected else {
            throw CommandFailure(
                .negative, "authority \(signer) signed the file, not \(Printable.text(expected))",
                cure: "compare with 'boxagent id' at the box that wrote the file")
        }
        return "\(text(summary)); signed by authority \(signer)"
    }

    static func text(_ summary: AuditExportSummary) -> String {
        guard summary.entries > 0 else { return "the audit log is intact: no entries" }
        let numbers =
            summary.entries == 1
            ? "entry \(summary.head.number)" : "entries \(summary.base.number + 1) to \(summary.head.number)"
        return "the audit log is intact: \(numbers), newest hash \(summary.head.hex)"
    }

    static func text(_ fault: AuditExportFault) -> String {
        switch fault {
        case .unreadable(let line): "line \(line) is not a valid audit record"
        case .broken(let line): "line \(line) or a line before it differs from what was signed"
        case .cutOff: "the end is missing"
        }
    }

    private static func localAuthority(_ socket: String) throws(CommandFailure) -> String {
        var conversation: Conversation
        do {
            conversation = try Conversation(socket: socket)
        } catch {
            throw CommandFailure(
                error.status, "the box's authority is unknown: \(error.what)",
                cure: "add --authority with the id that 'boxagent id' shows at the box")
        }
        var id: String?
        _ = try conversation.ask(.identity) { reply in
            if case .identity(_, let authority, _) = reply { id = Hex.text(authority) }
        }
        guard let id else { throw CommandFailure(.malformed(.unknownMessage)) }
        return id
    }

    private static func check(_ path: String) throws(CommandFailure) -> AuditExportSummary {
        var check = AuditExportCheck()
        do {
            try LineFile.read(path, lineBytes: AuditExport.lineBytes) { try check.take($0) }
            return try check.finish()
        } catch let fault as AuditExportFault {
            throw CommandFailure(
                .negative, "\(Printable.text(path)) is not intact: \(text(fault))",
                cure: "export the log again, or compare with another copy")
        } catch let fault as LineFile.Unreadable {
            throw unusable(path, fault.code)
        } catch {
            throw CommandFailure(.fault, "\(error)")
        }
    }

    static func unusable(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .usage, "\(Printable.text(path)): \(String(cString: strerror(code)))",
            cure: "name a file that 'boxagent audit export' wrote")
    }
}

/// A file that this command creates. Existing files are never written to.
struct NewFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    func write(_ line: String) throws(CommandFailure) {
        let bytes = Array((line + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.write(descriptor, Array(bytes[sent...]), bytes.count - sent)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, errno) }
            sent += count
        }
    }

    /// Syncs the file to disk, because the exported entries may be deleted next.
    func finish() throws(CommandFailure) {
        guard fsync(descriptor) == 0, close(descriptor) == 0 else { throw Self.failure(path, errno) }
    }

    func discard() {
        close(descriptor)
        unlink(path)
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            code == EEXIST ? .usage : .fault, "\(Printable.text(path)): \(String(cString: strerror(code)))",
            cure: "name a new file, in a directory with free space")
    }
}
