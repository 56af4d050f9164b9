import AgentCore
import Glibc

/// The file in which agetty(8) finds the box ID: part of the greeting above its prompt (issue.d).
///
/// The file is made by systemd-tmpfiles and belongs to the agent's user; its directory is root's. The agent can then
/// write words on the screen, and cannot have root's agetty read another file, as a name of its own in that directory
/// could (a symbolic link). So the file is written in place: with one write(2), always of the same length, which a
/// reader sees as a whole.
struct IssueFile: Sendable {
    /// Empty: none.
    let path: String

    /// The greeting; agetty takes `\` for an escape, and there is none in here.
    static func text(boxID: [UInt8]) -> [UInt8] {
        let id = String(decoding: boxID, as: UTF8.self)
        return Array("Phone login: this is box \(id). Tap on your phone, then type your user name.\n".utf8)
    }

    /// Nil: done, or there is no such file to write to. Otherwise what is wrong.
    func write(boxID: [UInt8]) -> String? {
        replace(with: Self.text(boxID: boxID))
    }

    /// Nobody is told to tap while no agent is there to hear it.
    func clear() -> String? {
        replace(with: [])
    }

    private func replace(with bytes: [UInt8]) -> String? {
        guard !path.isEmpty else { return nil }
        // Never made here, never through a link, never a wait for a pipe's other end.
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
        // SAFETY: the text is libc's and is copied at once.
        let reason = String(cString: strerror(errno))
        return "\(path) cannot be \(operation): \(reason); run: systemd-tmpfiles --create boxagent.conf"
    }
}
