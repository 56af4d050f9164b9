import AgentCore

/// A configured command: words with placeholders `{user}`, `{session}` and `{tty}`.
///
/// The words go to execve without a shell. A placeholder is replaced by the whole value, which is empty if unknown.
public struct CommandTemplate: Equatable, Sendable {
    public let words: [[UInt8]]

    /// Takes words as UTF-8 bytes. The first is the absolute path of the program.
    public init(words: [[UInt8]]) {
        self.words = words
    }

    /// Takes the words of a configuration file.
    public init(_ words: [String]) {
        self.words = words.map { Array($0.utf8) }
    }

    public func arguments(for target: SessionTarget) -> [[UInt8]] {
        let values: [(name: [UInt8], value: [UInt8])] = [
            (Array("{user}".utf8), target.user),
            (Array("{session}".utf8), target.logindSession ?? []),
            (Array("{tty}".utf8), target.terminal ?? []),
        ]
        return words.map { word in Self.expand(word, values) }
    }

    /// Expands placeholders in one pass from left to right, so that values are not expanded again.
    private static func expand(_ word: [UInt8], _ values: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
        var result: [UInt8] = []
        var at = 0
        while at < word.count {
            if let match = values.first(where: { word[at...].starts(with: $0.name) }) {
                result += match.value
                at += match.name.count
            } else {
                result.append(word[at])
                at += 1
            }
        }
        return result
    }
}
