/// A statement with placeholders ($1, $2 …). Each connection prepares it once, at its first use.
///
/// The text is part of the program and is never built from data.
public struct DatabaseStatement: Sendable, Hashable {
    /// Names the statement for people who read the program.
    public let name: String
    public let text: String

    public init(_ name: StaticString, _ text: StaticString) {
        self.name = "\(name)"
        self.text = "\(text)"
    }
}
