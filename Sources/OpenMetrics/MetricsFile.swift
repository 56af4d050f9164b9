import Glibc

/// The file of metrics. It is replaced as a whole, so that a reader never sees half of it.
public struct MetricsFile: Sendable {
    private let path: String

    public init(path: String) {
        self.path = path
    }

    /// In the same directory, since rename(2) cannot cross file systems. node_exporter ignores this name: it reads
    /// `*.prom`.
    private var temporaryPath: String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex
        return path[..<cut] + "." + path[cut...] + ".new"
    }

    /// Replaces the file. Returns the problem, or nil on success. Does not sync, since counts restart from 0 after a
    /// crash anyway.
    public func write(_ text: String) -> String? {
        // Removes the temporary file of an agent that was killed. An existing file is never written to, and no link is
        // followed.
        unlink(temporaryPath)
        let file = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return problem("made") }
        var failure: String?
        // The agent's umask gives access to the owner only, but another program reads this file.
        if fchmod(file, 0o644) != 0 || !write(Array(text.utf8), to: file) { failure = problem("written") }
        // close(2) may be the first to report a full disk.
        if close(file) != 0 { failure = failure ?? problem("written") }
        if failure == nil, rename(temporaryPath, path) != 0 { failure = problem("put in its place") }
        if failure != nil { unlink(temporaryPath) }
        return failure
    }

    private func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: pointer and length describe `rest`, which outlives the call.
            let count = rest.withUnsafeBytes { buffer in
                Glibc.write(file, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func problem(_ operation: String) -> String {
        // SAFETY: the text belongs to libc and is copied at once.
        "\(path) cannot be \(operation): \(String(cString: strerror(errno)))"
    }
}
