import CSessionHook
import PAMLogicEmbedded

/// Whether logind put this process into a session's scope, where it ends with the session.
enum SessionScope {
    private static let fileBytes = 4_096

    // SAFETY: at most the array's size is read into it.
    static func holdsThisProcess(_ session: [UInt8]) -> Bool {
        let descriptor = chook_open_to_read("/proc/self/cgroup")
        guard descriptor >= 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: fileBytes)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        _ = close(descriptor)
        let scope = TextLine("/session-").bytes + session + TextLine(".scope").bytes
        guard count >= scope.count else { return false }
        for start in 0...(count - scope.count) where bytes[start..<(start + scope.count)].elementsEqual(scope) {
            return true
        }
        return false
    }
}
