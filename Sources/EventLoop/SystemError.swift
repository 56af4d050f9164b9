import CLinux

/// A failed system call: the attempt and Linux's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The errno, positive.
    public let code: Int32
    /// The attempt, worded to follow "cannot".
    public let attempt: String

    public init(code: Int32, attempt: String) {
        self.code = code
        self.attempt = attempt
    }

    public var description: String {
        "cannot \(attempt): \(Self.reason(code))"
    }

    /// Returns Linux's text for an errno, without the buffer that threads would share.
    static func reason(_ code: Int32) -> String {
        guard let text = clinux_reason(code) else { return "error \(code)" }
        return String(cString: text)
    }
}

/// Returns the result of a C shim. Throws if the result is negative, because it is then the negative errno.
package func checked(_ result: Int32, _ attempt: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(code: -result, attempt: attempt()) }
    return result
}
