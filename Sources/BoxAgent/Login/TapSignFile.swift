import AgentProtocol
import Glibc

/// The file in which the PAM module sees whether a tap waits (`TapSign`).
struct TapSignFile: Sendable {
    private let descriptor: Int32

    /// Nil when the file cannot be had: programs then ask at each login, as they do of an agent that has no sign.
    /// systemd-tmpfiles makes it where the directory is root's.
    init?(directory: String) {
        guard let path = TapSign.path(besides: Array((directory + "/").utf8)) else { return nil }
        let file = open(
            String(decoding: path, as: UTF8.self), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        descriptor = file
    }

    func show(isHeld: Bool) {
        var sign = isHeld ? TapSign.held : TapSign.none
        if pwrite(descriptor, &sign, 1, 0) != 1 { clear() }
    }

    /// No sign: programs ask again, and so start an agent that systemd starts by its socket.
    func clear() {
        _ = ftruncate(descriptor, 0)
    }
}
