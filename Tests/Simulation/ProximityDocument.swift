import Glibc
import Testing

/// The part of docs/reference/proximity.md that the simulation writes.
enum ProximityDocument {
    /// Returns the lines between the two marks.
    static func figures(here: String = #filePath) throws -> [String] {
        let root = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = try #require(fopen("\(root)/docs/reference/proximity.md", "r"))
        defer { fclose(file) }
        var lines: [String] = []
        var isInside = false
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            var text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasSuffix("\n") { text.removeLast() }
            if text == "<!-- end of the simulation's figures -->" { isInside = false }
            if isInside { lines.append(text) }
            if text.hasPrefix("<!-- the simulation's figures") { isInside = true }
        }
        return lines
    }
}
