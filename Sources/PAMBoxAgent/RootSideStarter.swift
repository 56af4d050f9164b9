import CPAM

/// Starts session-hook without arguments, environment and descriptors, as a child of init. It gets its order on a pipe.
/// Only session-hook changes to the user.
enum RootSideStarter {
    static func isInstalled(_ path: [UInt8]) -> Bool {
        var isRunnable = false
        path.withCString { isRunnable = cpam_may_run($0) != 0 }
        return isRunnable
    }

    /// Writes the message and starts the program. The pipe has room for the whole message, so the write does not block.
    /// The kernel frees an unread message.
    // SAFETY: `count` bytes of the message were written. The array of ends belongs to this call.
    static func start(_ path: [UInt8], _ message: borrowing LockedBuffer, _ count: Int) -> Bool {
        guard count > 0, count <= message.bytes.count else { return false }
        var ends: [Int32] = [-1, -1]
        guard ends.withUnsafeMutableBufferPointer({ cpam_pipe($0.baseAddress) == 0 }) else {
            for end in ends where end >= 0 { _ = close(end) }
            return false
        }
        let isWritten = write(ends[1], message.bytes.baseAddress, count) == count
        _ = close(ends[1])
        var isStarted = false
        if isWritten {
            path.withCString { isStarted = cpam_start_helper($0, ends[0]) == 0 }
        }
        _ = close(ends[0])
        return isStarted
    }
}
