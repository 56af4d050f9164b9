import Glibc

/// Test vectors in text files of the folder above: `#` comments, `[case name]`, `key = hex or text`.
public struct VectorFile {
    public let cases: [VectorCase]

    /// Reads a file of Tests/Vectors.
    public init(_ name: String) throws(VectorError) {
        let source = #filePath
        let folder = source[..<(source.lastIndex(of: "/") ?? source.startIndex)]
        cases = try Self.parse(try Self.read("\(folder)/../\(name)"))
        guard !cases.isEmpty else { throw .empty(name) }
    }

    private static func read(_ path: String) throws(VectorError) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw .unreadable(path) }
        defer { close(descriptor) }
        var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
        while case let count = Glibc.read(descriptor, &chunk, chunk.count), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func parse(_ text: String) throws(VectorError) -> [VectorCase] {
        var cases: [VectorCase] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                cases.append(VectorCase(name: String(line.dropFirst().dropLast())))
            } else if let equals = line.firstIndex(of: "="), !cases.isEmpty {
                let key = line[..<equals].split(separator: " ").joined()
                let value = line[line.index(after: equals)...].drop { $0 == " " }
                cases[cases.count - 1].fields[key] = String(value)
            } else {
                throw .malformed(String(line))
            }
        }
        return cases
    }
}

/// One case of a vector file.
public struct VectorCase: Sendable, CustomStringConvertible {
    public let name: String
    fileprivate(set) var fields: [String: String] = [:]

    init(name: String) { self.name = name }

    public var description: String { name }

    public func has(_ key: String) -> Bool { fields[key] != nil }

    public func text(_ key: String) throws(VectorError) -> String {
        guard let value = fields[key] else { throw .missing(key) }
        return value
    }

    public func number(_ key: String) throws(VectorError) -> Int {
        guard let value = Int(try text(key)) else { throw .malformed(key) }
        return value
    }

    /// Returns the bytes of the key's hexadecimal digits.
    public func bytes(_ key: String) throws(VectorError) -> [UInt8] {
        try [UInt8](hex: try text(key))
    }
}

extension [UInt8] {
    public init(hex: String) throws(VectorError) {
        self = []
        var high: Int?
        for character in hex {
            guard let digit = character.hexDigitValue else { throw .malformed(hex) }
            if let first = high {
                append(UInt8(first << 4 | digit))
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw .malformed(hex) }
    }
}

public enum VectorError: Error {
    case unreadable(String)
    case empty(String)
    case malformed(String)
    case missing(String)
}
