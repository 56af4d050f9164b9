import Glibc

// embed-migrations OUTPUT FILE.sql ... : writes the files as StaticStrings, in the given order.

func fail(_ text: String) -> Never {
    let line = Array("embed-migrations: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(1)
}

func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { fail("\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        guard count > 0 else { return bytes }
        bytes += chunk[..<count]
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fail("usage: embed-migrations OUTPUT FILE.sql ...") }
var text = """
    /// A numbered file of migrations/, embedded by the build.
    struct EmbeddedMigration: Sendable {
        let name: StaticString
        let sql: StaticString
    }

    enum EmbeddedMigrations {
        static let all: [EmbeddedMigration] = [

    """
for (index, path) in arguments.dropFirst(2).enumerated() {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let digits = String(index + 1)
    let number = String(repeating: "0", count: 4 - digits.count) + digits
    guard name.hasPrefix(number + "_") else { fail("\(name) should begin with \(number)_: the numbers have no gap") }
    let sql = String(decoding: read(path), as: UTF8.self)
    guard !sql.contains("\"\"\"##") else { fail("\(name) contains a Swift string delimiter") }
    text += "        EmbeddedMigration(name: \"\(name)\", sql: ##\"\"\"\n\(sql)\n\"\"\"##),\n"
}
text += "    ]\n}\n"

guard let output = fopen(arguments[1], "wb") else { fail("\(arguments[1]) cannot be written") }
fputs(text, output)
fclose(output)
