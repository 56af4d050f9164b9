/// One thing that is wrong with a configuration file.
public struct ConfigurationProblem: Equatable, Sendable {
    /// Counts from 1; nil when it is about the file as a whole.
    public var line: Int?
    /// What is wrong, as the rest of a sentence that begins with the key's or the file's name.
    public var what: String
    /// What to write or do instead.
    public var cure: String

    public init(line: Int? = nil, what: String, cure: String) {
        self.line = line
        self.what = what
        self.cure = cure
    }
}

/// A configuration file that was refused, with everything that is wrong with it.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// More problems than these are not listed.
    public static let problemLimit = 20

    public let path: String
    /// In the order of the file, at least one, at most `problemLimit`.
    public let problems: [ConfigurationProblem]

    public init(path: String, problem: ConfigurationProblem) {
        self.path = path
        problems = [problem]
    }

    /// Nil when there is nothing wrong.
    init?(path: String, problems: [ConfigurationProblem]) {
        guard !problems.isEmpty else { return nil }
        self.path = path
        self.problems = Array(problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }.prefix(Self.problemLimit))
    }

    /// One line a problem: `FILE:LINE: what is wrong; what to do`.
    public var description: String {
        problems.map { problem in
            let place = problem.line.map { "\(path):\($0): " } ?? "\(path): "
            return place + problem.what + "; " + problem.cure
        }.joined(separator: "\n")
    }
}
