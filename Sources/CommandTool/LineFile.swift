import Glibc

/// A text file that is read line by line: it may be larger than memory.
package enum LineFile {
    private static let chunkBytes = 65_536

    /// The file cannot be opened or read; `code` is errno.
    package struct Unreadable: Error {
        package let code: Int32
    }

    /// Gives `take` each line, without its newline, and what comes behind the last newline. A line that is longer than `lineBytes` is given
    /// as soon as it is, so that `take` can refuse it before all of it is in memory.
    package static func read(_ path: String, lineBytes: Int, take: ([UInt8]) throws -> Void) throws {
        // A terminal that is named by mistake does not become this program's: open(2), O_NOCTTY.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw Unreadable(code: errno) }
        defer { close(file) }
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable(code: errno) }
            guard count > 0 else { break }
            for byte in chunk[..<count] {
                if byte == UInt8(ascii: "\n") {
                    try take(line)
                    line.removeAll(keepingCapacity: true)
                } else {
                    line.append(byte)
                    if line.count > lineBytes { try take(line) }
                }
            }
        }
        if !line.isEmpty { try take(line) }
    }
}
