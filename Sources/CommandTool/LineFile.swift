import Glibc

/// Reads a text file line by line. The file may be larger than memory.
package enum LineFile {
    private static let chunkBytes = 65_536

    /// The file cannot be opened or read; `code` is errno.
    package struct Unreadable: Error {
        package let code: Int32
    }

    /// Passes each line to `take` without its newline. The last line may lack a newline. If a line is longer than
    /// `lineBytes`, `take` gets its beginning and should throw, so that the whole line is never in memory.
    package static func read(_ path: String, lineBytes: Int, take: ([UInt8]) throws -> Void) throws {
        // O_NOCTTY: a terminal named by mistake must not become this program's controlling terminal (open(2)).
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
