import Wire

/// A warning that a session of this phone ends by itself soon.
public struct LogoutWarning: Equatable, Sendable {
    public enum Cause: UInt8, CaseIterable, Sendable {
        /// The phone counts as away.
        case away = 0
        /// The session is idle.
        case idle = 1
        /// The session reaches its longest allowed duration.
        case longest = 2
        /// Closing time has come.
        case closing = 3
    }

    /// Seconds from this message until the end; at most `MessageLimits.durationSeconds`.
    public var seconds: UInt32
    public var cause: Cause
    /// True if `PhoneRequest.extend` postpones the end. For `away`, only the phone's return does.
    public var canExtend: Bool

    public init(seconds: UInt32, cause: Cause, canExtend: Bool) {
        self.seconds = seconds
        self.cause = cause
        self.canExtend = canExtend
    }
}

/// The encoding has three fields. All three are null if there is nothing to warn of.
extension CBORReader {
    mutating func readLogoutWarning(in input: RawSpan) throws(WireError) -> LogoutWarning? {
        if try readNull(in: input) {
            guard try readNull(in: input), try readNull(in: input) else { throw .outOfRange }
            return nil
        }
        return LogoutWarning(
            seconds: try readSeconds(in: input), cause: try readEnumeration(in: input),
            canExtend: try readBool(in: input))
    }
}

extension CBORWriter {
    mutating func writeLogoutWarning(
        _ warning: LogoutWarning?, to output: inout MutableRawSpan
    ) throws(WireError) {
        guard let warning else {
            for _ in 0..<3 { try writeNull(to: &output) }
            return
        }
        guard warning.seconds <= MessageLimits.durationSeconds else { throw .outOfRange }
        try writeUnsigned(UInt64(warning.seconds), to: &output)
        try writeUnsigned(UInt64(warning.cause.rawValue), to: &output)
        try writeBool(warning.canExtend, to: &output)
    }
}
