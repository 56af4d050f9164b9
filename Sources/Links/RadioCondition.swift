/// A fault of a radio, and its cure for the user. Both are parts of a sentence, safe to print.
public struct RadioFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let problem: String
    public let cure: String

    public init(_ problem: String, cure: String) {
        self.problem = problem
        self.cure = cure
    }

    public var description: String { "\(problem); \(cure)" }
}

/// The current condition of a radio. It changes as adapters and services come and go.
public enum RadioCondition: Sendable, Hashable {
    case starting
    /// The radio works. The text names the adapter and any limitation.
    case working(String)
    case faulty(RadioFault)
}
