/// Why a radio does not work, and what a person can do about it; both are whole sentences' parts, safe to print.
public struct RadioFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let problem: String
    public let cure: String

    public init(_ problem: String, cure: String) {
        self.problem = problem
        self.cure = cure
    }

    public var description: String { "\(problem); \(cure)" }
}

/// What a radio is able to do now. It changes by itself, as adapters and services come and go.
public enum RadioCondition: Sendable, Hashable {
    case starting
    /// It works; the text says on what, and what about it is not as good as it could be.
    case working(String)
    case faulty(RadioFault)
}
