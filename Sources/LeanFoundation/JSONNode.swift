/// A JSON value during encoding. Encoding containers share it and fill it.
final class JSONNode {
    enum Content {
        /// Nothing has been encoded.
        case none
        case null
        case flag(Bool)
        /// In decimal digits.
        case number(String)
        case text(String)
        case list([JSONNode])
        case record([(key: String, value: JSONNode)])
    }

    var content = Content.none

    func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
        switch value {
        case let flag as Bool: content = .flag(flag)
        case let text as String: content = .text(text)
        case let number as any FixedWidthInteger: content = .number(number.description)
        case let number as Double: content = .number(try Self.decimal(number, value, at: path))
        case let number as Float: content = .number(try Self.decimal(number, value, at: path))
        default: try value.encode(to: JSONNodeEncoder(node: self, codingPath: path))
        }
    }

    /// Writes whole numbers without a fraction.
    private static func decimal<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, _ value: Any, at path: [any CodingKey]
    ) throws -> String {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: path, debugDescription: "JSON has no such number"))
        }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Turns this node into a list, if necessary, and adds an element.
    func element() -> JSONNode {
        var nodes: [JSONNode] = []
        if case .list(let present) = content { nodes = present }
        let node = JSONNode()
        content = .list(nodes + [node])
        return node
    }

    /// Turns this node into a record, if necessary, and adds a field. Replaces an earlier field with that name.
    func field(_ key: String) -> JSONNode {
        var fields: [(key: String, value: JSONNode)] = []
        if case .record(let present) = content { fields = present.filter { $0.key != key } }
        let node = JSONNode()
        content = .record(fields + [(key, node)])
        return node
    }
}
