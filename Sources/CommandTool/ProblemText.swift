import ConfigurationFile

/// A command with its subcommands, by the names that users type.
package struct CommandTree: Sendable {
    package let name: String
    package let aliases: [String]
    package let below: [CommandTree]
    /// True if the command has a default subcommand. Then an unknown word may be its argument.
    package let hasDefault: Bool

    package init(_ name: String, aliases: [String] = [], below: [CommandTree] = [], hasDefault: Bool = false) {
        (self.name, self.aliases, self.below, self.hasDefault) = (name, aliases, below, hasDefault)
    }
}

/// A problem and its cures, in the lines that the user reads.
package struct ProblemText: Equatable {
    /// The problem, with the user's words in quotation marks.
    package let what: String
    /// The cures, one a line.
    package let cures: [String]

    package init(_ what: String, cures: [String] = []) {
        (self.what, self.cures) = (what, cures)
    }

    /// Splits a sentence into the problem and, after a semicolon, the cure.
    package init(sentence: String) {
        let (what, cure) = Self.parted(sentence, at: "; ")
        self.init(what, cures: cure.map { [$0] } ?? [])
    }

    /// Returns the problem if a word stands where a command belongs but does not name one, otherwise nil.
    package static func unknownCommand(in words: [String], of tree: CommandTree) -> ProblemText? {
        var (node, path) = (tree, tree.name)
        for word in words {
            guard !word.hasPrefix("-"), !node.below.isEmpty else { return nil }
            if let next = node.below.first(where: { $0.name == word || $0.aliases.contains(word) }) {
                (node, path) = (next, path + " " + next.name)
                continue
            }
            let names = node.below.flatMap { [$0.name] + $0.aliases }
            let near = Spelling.nearest(to: word, among: names).flatMap { near in
                node.below.first { $0.name == near || $0.aliases.contains(near) }?.name
            }
            guard let near else {
                return node.hasDefault
                    ? nil : ProblemText("unknown command \(quoted(word)).", cures: ["See the commands: \(path) --help"])
            }
            return ProblemText("unknown command \(quoted(word)).", cures: ["Did you mean: \(path) \(near)"])
        }
        return nil
    }

    /// Rewrites ArgumentParser's message in the style of this program.
    package init(message: String) {
        let (sentence, near) = Self.parted(message, at: ". Did you mean ")
        let words = Self.requoted(sentence)
        what = Self.lowered(words) + (near == nil ? "" : ".")
        cures = near.map { ["Did you mean: " + $0.filter { $0 != "'" && $0 != "?" }] } ?? []
    }

    private static func quoted(_ word: String) -> String { "\"\(word)\"" }

    /// Puts names in double quotation marks. An apostrophe inside a word stays.
    private static func requoted(_ text: String) -> String {
        let letters = Array(text)
        return String(
            letters.indices.map { index in
                let before = index > 0 ? letters[index - 1] : " "
                let behind = index + 1 < letters.count ? letters[index + 1] : " "
                let isInside = before.isLetter && behind.isLetter
                return letters[index] == "'" && !isInside ? "\"" : letters[index]
            })
    }

    private static func lowered(_ text: String) -> String {
        // A word that begins with two capitals stays unchanged.
        guard let first = text.first, text.dropFirst().first?.isUppercase != true else { return text }
        return first.lowercased() + text.dropFirst()
    }

    private static func parted(_ text: String, at mark: String) -> (String, String?) {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(mark) {
                return (String(text[..<start]), String(text[start...].dropFirst(mark.count)))
            }
            start = text.index(after: start)
        }
        return (text, nil)
    }
}
