/// The page's sentences in one language, from a gettext catalogue.
public struct Catalogue: Equatable, Sendable {
    public let language: String
    public private(set) var sentences: [String: String] = [:]

    /// Makes an empty catalogue.
    public init(_ language: String) { self.language = language }

    /// Reads `msgid "…"` and `msgstr "…"`, each on one line. Returns nil for another line or a duplicate key.
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

    /// Returns the sentence, or its key if there is none.
    public func plain(_ key: String) -> String { sentences[key] ?? key }

    /// Returns the sentence as HTML. `{0}` is the first of `parts`, which are foreign text.
    public func markup(_ key: String, _ parts: String...) -> String {
        fill(Markup.escaped(plain(key)), parts.map(Markup.foreign))
    }

    /// Returns the sentence as plain text, with values filled in.
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

/// The language for a browser.
public enum PageLanguage {
    /// Each name is in its own language.
    public static let names = [("en", "English"), ("de", "Deutsch"), ("ru", "Русский")]

    /// Returns the available language with the highest weight in `Accept-Language` (RFC 9110 section 12.5.4), or
    /// English. It reads at most 16 entries.
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
