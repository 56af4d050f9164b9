/// A program to run.
public struct ChildCommand: Sendable {
    /// An absolute path. No shell runs, and PATH is not searched.
    public var program: String
    /// The arguments without the program's name, which is prepended.
    public var arguments: [String]
    /// The whole environment; the program inherits none of ours.
    public var environment: [String: String]
    /// The bytes that the program reads on standard input.
    public var input: [UInt8]
    /// Limit of the stored bytes of standard output and standard error together; 0 discards all. Further output is read
    /// and dropped, so that the program never blocks.
    public var outputLimitBytes: Int
    /// After this time, the program and its process group are killed.
    public var timeLimit: Duration
    /// The signal that asks the program to end when the waiting task is cancelled, before the program is killed.
    public var endSignal: Int32?

    /// The time that a program has to end after `endSignal`.
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

/// The way in which a program ended.
public struct ChildResult: Sendable, Equatable {
    public enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// The program was killed at its time limit.
        case timedOut
        /// The program was killed, or asked to end, because the waiting task was cancelled.
        case cancelled
    }

    public let ending: Ending
    public let output: [UInt8]
    public let outputWasCut: Bool

    public var succeeded: Bool { ending == .exited(0) }
}
