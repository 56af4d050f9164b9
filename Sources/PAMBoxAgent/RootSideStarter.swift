import CPAM

/// session-hook, as this module starts it: as nobody's child, without arguments, environment and descriptors, and with its
/// order on a pipe. It alone becomes the user.
enum RootSideStarter {
    static func isInstalled(_ path: [UInt8]) -> Bool {
        var isRunnable = false
        path.withCString { isRunnable = cpam_may_run($0) != 0 }
        return isRunnable
    }

    /// The pipe takes the whole message at once, so nobody waits; a reader that never comes leaves it to the kernel.
    // SAFETY: `count` bytes of the message were written; the array of ends is the call's own.
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
