/// Decides whether a program may run with a user's password: only if no other user than root can change the program.
public enum ProgramTrust {
    /// One step of a path, from lstat(2).
    public struct Step: Sendable {
        public var owner: UInt32
        public var isDirectory: Bool
        public var isFile: Bool
        public var othersMayWrite: Bool
        public var mayRun: Bool

        public init(owner: UInt32, isDirectory: Bool, isFile: Bool, othersMayWrite: Bool, mayRun: Bool) {
            self.owner = owner
            self.isDirectory = isDirectory
            self.isFile = isFile
            self.othersMayWrite = othersMayWrite
            self.mayRun = mayRun
        }
    }

    public enum Problem: Equatable, Sendable {
        case absent, notOwnedByRoot, writableByOthers, notADirectory, notAProgram

        /// The problem of the step and its cure.
        public var text: StaticString {
            switch self {
            case .absent: "does not exist; install the program, or correct hook="
            case .notOwnedByRoot: "must belong to root; run chown root:root on it, or move the program"
            case .writableByOthers: "is writable by others; run chmod go-w on it"
            case .notADirectory: "is not a directory (a link, perhaps); give hook= the program's real path"
            case .notAProgram: "is not an executable file; run chmod 755 on it, and give hook= its real path"
            }
        }
    }

    /// Returns the directories of an absolute path from "/" down, then the path itself.
    public static func steps(of path: [UInt8]) -> [[UInt8]] {
        PathSteps.directories(of: path) + [path]
    }

    /// Returns nil if the step is safe. If `own`, the user of session-hook, is not root, that user's own programs are
    /// safe too.
    public static func problem(with step: Step?, isLast: Bool, own: UInt32) -> Problem? {
        guard let step else { return .absent }
        if isLast, !step.isFile || !step.mayRun { return .notAProgram }
        if !isLast, !step.isDirectory { return .notADirectory }
        if step.owner != 0, step.owner != own { return .notOwnedByRoot }
        return step.othersMayWrite ? .writableByOthers : nil
    }
}
