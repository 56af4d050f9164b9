import Wire

/// A session of this phone's ends by itself soon.
public struct LogoutWarning: Equatable, Sendable {
    public enum Cause: UInt8, CaseIterable, Sendable {
        /// The phone counts as away.
        case away = 0
        /// Nobody has worked.
        case idle = 1
        /// The session has lasted as long as it may.
        case longest = 2
        /// The site closes.
        case closing = 3
    }

    /// Seconds until the end, from when it was said; at most `MessageLimits.durationSeconds`.
    public var seconds: UInt32
    public var cause: Cause
    /// Whether `PhoneRequest.extend` puts it off. Absence ends with the phone's return, not by a tap.
    public var canExtend: Bool

    public init(seconds: UInt32, cause: Cause, canExtend: Bool) {
        self.seconds = seconds
        self.cause = cause
        self.canExtend = canExtend
    }
}

/// On the wire three fields, all of them null where nothing is warned of any more.
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
