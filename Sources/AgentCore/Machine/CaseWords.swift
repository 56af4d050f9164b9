/// A case of an enumeration in words, for messages: `handshakeTimedOut` is "handshake timed out".
enum CaseWords {
    static func text(of value: some Any) -> String {
        "\(value)".prefix { $0 != "(" }.reduce(into: "") { text, letter in
            text += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
        }
    }
}
