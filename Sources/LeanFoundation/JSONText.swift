/// Writes a node as text.
struct JSONText {
    let formatting: JSONEncoder.OutputFormatting
    private(set) var text = ""

    init(formatting: JSONEncoder.OutputFormatting) {
        self.formatting = formatting
    }

    mutating func write(_ node: JSONNode, depth: Int) {
        switch node.content {
        // A value that encoded nothing.
        case .none: text += "{}"
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .number(let digits): text += digits
        case .text(let content): quote(content)
        case .list(let nodes):
            enclose("[", "]", nodes, depth) { text, node in text.write(node, depth: depth + 1) }
        case .record(let fields):
            enclose("{", "}", sorted(fields), depth) { text, field in
                text.quote(field.key)
                text.text += text.formatting.contains(.prettyPrinted) ? " : " : ":"
                text.write(field.value, depth: depth + 1)
            }
        }
    }

    private func sorted(_ fields: [(key: String, value: JSONNode)]) -> [(key: String, value: JSONNode)] {
        guard formatting.contains(.sortedKeys) else { return fields }
        return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private mutating func enclose<Member>(
        _ opening: String, _ closing: String, _ members: [Member], _ depth: Int,
        _ write: (inout JSONText, Member) -> Void
    ) {
        text += opening
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," }
            breakLine(depth + 1)
            write(&self, member)
        }
        if members.isEmpty, formatting.contains(.prettyPrinted) { text += "\n" }
        breakLine(depth)
        text += closing
    }

    private mutating func breakLine(_ depth: Int) {
        guard formatting.contains(.prettyPrinted) else { return }
        text += "\n" + String(repeating: "  ", count: depth)
    }

    private mutating func quote(_ content: String) {
        text += "\""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/": text += "\\" + String(scalar)
            case "\u{8}": text += "\\b"
            case "\u{c}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
