/// Turns a case of an enumeration into words, for messages: `handshakeTimedOut` becomes "handshake timed out".
enum CaseWords {
    static func text(of value: some Any) -> String {
        "\(value)".prefix { $0 != "(" }.reduce(into: "") { text, letter in
            text += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
        }
    }
}
