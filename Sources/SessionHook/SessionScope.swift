import CSessionHook
import PAMLogicEmbedded

extension SessionScope {
    private static let fileBytes = 16_384

    /// Returns the logind session of this process, which descends from the program that opened the session.
    static func ofThisProcess(_ proc: [UInt8]) -> SessionScope? {
        guard let own = read(proc + TextLine("/self/cgroup").bytes) else { return nil }
        return find(in: own, below: read(proc + TextLine("/1/cgroup").bytes) ?? [])
    }

    // SAFETY: at most the array's size is read into it.
    private static func read(_ path: [UInt8]) -> [UInt8]? {
        var descriptor: Int32 = -1
        path.withCString { descriptor = chook_open_to_read($0) }
        guard descriptor >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: fileBytes)
        let count = bytes.withUnsafeMutableBytes { CSessionHook.read(descriptor, $0.baseAddress, $0.count) }
        _ = close(descriptor)
        // If the array is full, the file may have been cut.
        guard count > 0, count < fileBytes else { return nil }
        return [UInt8](bytes.prefix(count))
    }
}
