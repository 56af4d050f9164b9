import CLinux

/// A system call that failed: what was tried, and why Linux refused.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The errno, positive.
    public let code: Int32
    /// What was tried, to be read after "cannot".
    public let attempt: String

    public init(code: Int32, attempt: String) {
        self.code = code
        self.attempt = attempt
    }

    public var description: String {
        "cannot \(attempt): \(Self.reason(code))"
    }

    /// Linux's words for an errno, without the buffer that threads would share.
    static func reason(_ code: Int32) -> String {
        guard let text = clinux_reason(code) else { return "error \(code)" }
        return String(cString: text)
    }
}

/// The result of a call of a C shim, which is a negative errno when it failed.
package func checked(_ result: Int32, _ attempt: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(code: -result, attempt: attempt()) }
    return result
}
