import AgentCore
import Glibc

/// The file with the box ID for agetty(8): part of the greeting above its prompt (issue.d).
///
/// systemd-tmpfiles makes the file for the agent's user, in a directory of root. So the agent can show words on the
/// screen, but cannot make a symbolic link that root's agetty would follow. The file is therefore written in place: one
/// write(2) of constant length, which a reader sees as a whole.
struct IssueFile: Sendable {
    /// Empty if there is no file.
    let path: String

    /// Returns the greeting. agetty treats `\` as an escape, and the text contains none.
    static func text(boxID: [UInt8]) -> [UInt8] {
        let id = String(decoding: boxID, as: UTF8.self)
        return Array("Phone login: this is box \(id). Tap on your phone, then type your user name.\n".utf8)
    }

    /// Writes the greeting. Returns nil on success or if the file does not exist, otherwise the problem.
    func write(boxID: [UInt8]) -> String? {
        replace(with: Self.text(boxID: boxID))
    }

    /// Removes the greeting, so that people are not told to tap while no agent runs.
    func clear() -> String? {
        replace(with: [])
    }

    private func replace(with bytes: [UInt8]) -> String? {
        guard !path.isEmpty else { return nil }
        // Does not create the file, follow a link, or wait for a reader of a pipe.
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT ? nil : problem("opened") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return "\(path) is not a regular file; set box.issue_file to one, or to \"\""
        }
        if !bytes.isEmpty, pwrite(file, bytes, bytes.count, 0) != bytes.count { return problem("written") }
        return ftruncate(file, off_t(bytes.count)) == 0 ? nil : problem("cut")
    }

    private func problem(_ operation: String) -> String {
        // SAFETY: libc owns the text, which is copied at once.
        let reason = String(cString: strerror(errno))
        return "\(path) cannot be \(operation): \(reason); run: systemd-tmpfiles --create boxagent.conf"
    }
}
