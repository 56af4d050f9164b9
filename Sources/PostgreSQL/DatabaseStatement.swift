/// A statement with places for values ($1, $2 …), prepared once for each connection at its first use there.
///
/// The text is part of the program and never made from data.
public struct DatabaseStatement: Sendable, Hashable {
    /// For people: it names the statement in the program.
    public let name: String
    public let text: String

    public init(_ name: StaticString, _ text: StaticString) {
        self.name = "\(name)"
        self.text = "\(text)"
    }
}
