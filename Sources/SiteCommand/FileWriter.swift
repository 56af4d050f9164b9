import CommandTool
import Glibc
import TextOutput

/// A file that a command writes: it is there as a whole, or as it was before.
enum FileWriter {
    /// Replaces `path`, readable by its owner alone.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SiteCommandFailure) {
        // In the same directory, since rename(2) replaces nothing across file systems.
        let draft = "\(path).\(getpid()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path, errno) }
        do throws(SiteCommandFailure) {
            defer { close(file) }
            try write(bytes, to: file, named: path)
            // On the stick before somebody pulls it out.
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
