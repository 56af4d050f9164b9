import Glibc

/// The fenced blocks of docs/reference/protocol.md, or of another page such as `vectors`.
struct ProtocolDocument {
    enum Failure: Error {
        case cannotRead(String)
        case noBlock(String)
    }

    /// The page with the blocks of the protocol's section 16.
    static let vectors = "Tests/Vectors/protocol.md"

    private let lines: [Substring]

    /// Reads a page of the package that contains this file.
    init(_ name: String = "docs/reference/protocol.md", here: String = #filePath) throws {
        let root = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        lines = try Self.read("\(root)/\(name)").split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the lines of the block that begins with three backticks and `info`.
    func block(_ info: String) throws -> [String] {
        guard let start = lines.firstIndex(of: "```\(info)") else { throw Failure.noBlock(info) }
        let rest = lines[(start + 1)...]
        guard let end = rest.firstIndex(of: "```") else { throw Failure.noBlock(info) }
        return rest[..<end].map(String.init)
    }

    private static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Failure.cannotRead(path) }
        defer { fclose(file) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            content.append(contentsOf: chunk[..<count])
        }
        return String(decoding: content, as: UTF8.self)
    }
}

/// Returns two lower-case digits for each byte.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
