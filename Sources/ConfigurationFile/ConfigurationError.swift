/// One problem of a configuration file.
public struct ConfigurationProblem: Equatable, Sendable {
    public var path: String
    /// Counts from 1. Nil if the problem concerns the whole file.
    public var line: Int?
    /// The problem, as the rest of a sentence that begins with the name of the key or file.
    public var what: String
    /// The text to write instead, or another cure.
    public var cure: String

    public init(path: String, line: Int? = nil, what: String, cure: String) {
        self.path = path
        self.line = line
        self.what = what
        self.cure = cure
    }
}

/// The refusal of configuration files, with all of their problems.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The most problems that are listed.
    public static let problemLimit = 20

    /// In the order of files and lines: at least one, at most `problemLimit`.
    public let problems: [ConfigurationProblem]

    public init(problem: ConfigurationProblem) {
        problems = [problem]
    }

    /// Returns nil if `problems` is empty.
    public init?(problems: [ConfigurationProblem]) {
        guard !problems.isEmpty else { return nil }
        self.problems = Array(problems.prefix(Self.problemLimit))
    }

    /// One line for each problem: `FILE:LINE: what is wrong; what to do`.
    public var description: String {
        problems.map { problem in
            let place = problem.line.map { "\(problem.path):\($0): " } ?? "\(problem.path): "
            return place + problem.what + "; " + problem.cure
        }.joined(separator: "\n")
    }
}
