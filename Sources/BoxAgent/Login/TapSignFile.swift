import PAMProtocol
import Glibc

/// The file in which the PAM module sees whether a tap waits (`TapSign`).
///
/// Everybody may watch the directory that it is in (inotify(7) tells of writes to files that one cannot read, and stat(2) of
/// their times), and nobody but root and greeters shall see that a tap waits. So the byte is written through memory, of
/// which neither tells.
final class TapSignFile: Sendable {
    /// Anything but the two signs: programs ask.
    private static let noSign: UInt8 = 0

    private let descriptor: Int32
    /// SAFETY: one byte of the file, mapped from `init` to `deinit`; written by the agent alone, on its loop.
    nonisolated(unsafe) private let byte: UnsafeMutableRawPointer

    /// Nil when the file cannot be had: programs then ask at each login, as they do of an agent that has no sign.
    /// systemd-tmpfiles makes it where the directory is root's.
    init?(directory: String) {
        guard let path = TapSign.path(besides: Array((directory + "/").utf8)) else { return nil }
        let file = open(
            String(decoding: path, as: UTF8.self), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, ftruncate(file, 1) == 0,
            let mapped = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), mapped != MAP_FAILED
        else {
            close(file)
            return nil
        }
        descriptor = file
        byte = mapped
        // The first write to the page is the one that touches the file's times.
        store(Self.noSign)
    }

    deinit {
        munmap(byte, 1)
        close(descriptor)
    }

    func show(isHeld: Bool) {
        store(isHeld ? TapSign.held : TapSign.none)
    }

    /// No sign: programs ask again, and so start an agent that systemd starts by its socket.
    func clear() {
        store(Self.noSign)
    }

    private func store(_ sign: UInt8) {
        // Memory behind a file's end must not be touched: root may have emptied it.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return }
        // SAFETY: the byte is mapped, and inside the file.
        byte.storeBytes(of: sign, as: UInt8.self)
    }
}
