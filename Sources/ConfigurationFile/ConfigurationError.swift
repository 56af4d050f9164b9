/// One thing that is wrong with a configuration file.
public struct ConfigurationProblem: Equatable, Sendable {
    public var path: String
    /// Counts from 1; nil when it is about the file as a whole.
    public var line: Int?
    /// What is wrong, as the rest of a sentence that begins with the key's or the file's name.
    public var what: String
    /// What to write or do instead.
    public var cure: String

    public init(path: String, line: Int? = nil, what: String, cure: String) {
        self.path = path
        self.line = line
        self.what = what
        self.cure = cure
    }
}

/// Configuration files that were refused, with everything that is wrong with them.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// More problems than these are not listed.
    public static let problemLimit = 20

    /// In the order of the files and of their lines, at least one, at most `problemLimit`.
    public let problems: [ConfigurationProblem]

    public init(problem: ConfigurationProblem) {
        problems = [problem]
    }

    /// Nil when there is nothing wrong.
    public init?(problems: [ConfigurationProblem]) {
        guard !problems.isEmpty else { return nil }
        self.problems = Array(problems.prefix(Self.problemLimit))
    }

    /// One line a problem: `FILE:LINE: what is wrong; what to do`.
    public var description: String {
        problems.map { problem in
            let place = problem.line.map { "\(problem.path):\($0): " } ?? "\(problem.path): "
            return place + problem.what + "; " + problem.cure
        }.joined(separator: "\n")
    }
}
