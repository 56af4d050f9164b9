/// A program to run.
public struct ChildCommand: Sendable {
    /// An absolute path; no shell and no search in PATH.
    public var program: String
    /// Without the program's name, which is put in front.
    public var arguments: [String]
    /// The whole environment: nothing of ours is passed on.
    public var environment: [String: String]
    /// What the program reads on standard input.
    public var input: [UInt8]
    /// How many bytes of standard output and standard error together are kept; 0 discards them. More is read and
    /// dropped, so that the program never blocks on it.
    public var outputLimitBytes: Int
    /// After this the program and its process group are killed.
    public var timeLimit: Duration
    /// What asks the program to end when the task that waits is cancelled; it is killed only if that does not help.
    public var endSignal: Int32?

    /// How long a program that was asked may take to end.
    public static let endPatience: Duration = .seconds(2)
    public static let plainEnvironment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]

    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = plainEnvironment,
        input: [UInt8] = [], outputLimitBytes: Int = 0, timeLimit: Duration = .seconds(10), endSignal: Int32? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.input = input
        self.outputLimitBytes = outputLimitBytes
        self.timeLimit = timeLimit
        self.endSignal = endSignal
    }
}

/// How a program ended.
public struct ChildResult: Sendable, Equatable {
    public enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// It was killed at its time limit.
        case timedOut
        /// It was killed, or asked to end, because the task that waited was cancelled.
        case cancelled
    }

    public let ending: Ending
    public let output: [UInt8]
    public let outputWasCut: Bool

    public var succeeded: Bool { ending == .exited(0) }
}
