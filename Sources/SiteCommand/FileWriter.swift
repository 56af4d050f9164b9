import CommandTool
import Glibc
import TextOutput

/// Writes a file atomically: it is either complete, or as it was before.
enum FileWriter {
    /// Replaces `path`. Only the owner can read the file.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SiteCommandFailure) {
        // The draft is in the same directory, because rename(2) does not work across file systems.
        let draft = "\(path).\(getpid()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path, errno) }
        do throws(SiteCommandFailure) {
            defer { close(file) }
            try write(bytes, to: file, named: path)
            // The data must reach a USB stick before a person pulls it out.
            guard fsync(file) == 0, rename(draft, path) == 0 else { throw failure(path, errno) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    static func write(_ bytes: [UInt8], to file: Int32, named name: String) throws(SiteCommandFailure) {
        var sent = 0
        while sent < bytes.count {
            // SAFETY: `sent` is below the buffer's count, and the call reads at most what is left of it.
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(file, buffer.baseAddress.map { $0 + sent }, buffer.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(name, errno) }
            sent += count
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> SiteCommandFailure {
        SiteCommandFailure(
            .fault, "\(Printable.text(path)) cannot be written: \(String(cString: strerror(code))); nothing was changed"
        )
    }
}
