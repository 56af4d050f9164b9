/// The page's sentences in one language, from a catalogue in gettext's format.
public struct Catalogue: Equatable, Sendable {
    public let language: String
    public private(set) var sentences: [String: String] = [:]

    /// Without a sentence.
    public init(_ language: String) { self.language = language }

    /// Reads lines of `msgid "…"` and `msgstr "…"`, each on one line. Nil where a line is another one, or a key comes twice.
    public init?(_ language: String, _ text: String) {
        self.language = language
        var key: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") || line.hasPrefix("\"") { continue }
            if let id = Self.quoted(line, after: "msgid ") {
                guard key == nil else { return nil }
                key = id
            } else if let sentence = Self.quoted(line, after: "msgstr "), let known = key {
                key = nil
                if known.isEmpty { continue }
                guard sentences.updateValue(sentence, forKey: known) == nil, !sentence.isEmpty else { return nil }
            } else {
                return nil
            }
        }
        guard key == nil else { return nil }
    }

    private static func quoted(_ line: Substring, after word: String) -> String? {
        guard line.hasPrefix(word + "\""), line.hasSuffix("\""), line.utf8.count >= word.utf8.count + 2 else {
            return nil
        }
        let inner = line.dropFirst(word.count + 1).dropLast()
        var out = ""
        var isEscaped = false
        for letter in inner {
            if isEscaped {
                guard letter == "\"" || letter == "\\" else { return nil }
                out.append(letter)
                isEscaped = false
            } else if letter == "\\" {
                isEscaped = true
            } else if letter == "\"" {
                return nil
            } else {
                out.append(letter)
            }
        }
        return isEscaped ? nil : out
    }

    /// The sentence, or its key where there is none.
    public func plain(_ key: String) -> String { sentences[key] ?? key }

    /// The sentence as HTML; `{0}` is the first of `parts`, which others chose.
    public func markup(_ key: String, _ parts: String...) -> String {
        fill(Markup.escaped(plain(key)), parts.map(Markup.foreign))
    }

    /// The sentence as text, with numbers and the like in it.
    public func text(_ key: String, _ parts: String...) -> String { fill(plain(key), parts) }

    private func fill(_ sentence: String, _ parts: [String]) -> String {
        var out = ""
        var rest = sentence[...]
        while let open = rest.firstIndex(of: "{") {
            out += rest[..<open]
            let inner = rest[rest.index(after: open)...]
            if let digit = inner.first?.wholeNumberValue, inner.dropFirst().first == "}", digit < parts.count {
                out += parts[digit]
                rest = inner.dropFirst(2)
            } else {
                out.append("{")
                rest = inner
            }
        }
        return out + rest
    }
}

/// Which language a browser gets.
public enum PageLanguage {
    /// As people read their own.
    public static let names = [("en", "English"), ("de", "Deutsch"), ("ru", "Русский")]

    /// The first of `Accept-Language` by weight (RFC 9110 section 12.5.4) that there is, or English. At most 16 are looked at.
    public static func best(of header: String?) -> String {
        var best = ("en", 0.0)
        for part in (header ?? "").split(separator: ",").prefix(16) {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = pieces.first?.prefix(2).lowercased(), names.contains(where: { $0.0 == tag }) else {
                continue
            }
            let weight = pieces.dropFirst().first.flatMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil } ?? 1
            if weight > best.1 { best = (tag, weight) }
        }
        return best.0
    }
}
