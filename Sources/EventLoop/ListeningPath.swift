import CLinux
import Glibc

/// A listening socket's name in the file system.
///
/// The socket is bound under a temporary name, gets its mode, and listens before it is renamed to its path. So no
/// program sees it half made, and no lock is needed that another user could hold. Only a dead program's socket is
/// replaced.
struct ListeningPath {
    /// Number of attempts while other programs make and remove the same path.
    private static let attempts = 8

    let path: String
    private let device: UInt64
    private let inode: UInt64

    /// Binds and listens. The caller still owns the descriptor.
    init(binding descriptor: Int32, to path: String, mode: UInt32, backlog: Int32) throws(SocketError) {
        let temporary = Self.temporaryPath(beside: path)
        let bytes = Array(temporary.utf8)
        guard path.utf8.count < CLINUX_SUN_PATH_BYTES else {
            throw .system(
                SystemError(code: ENAMETOOLONG, attempt: "listen on \(path) (a socket's path has at most 107 bytes)"))
        }
        try Self.check(clinux_unix_bind(descriptor, bytes, bytes.count), path)
        do throws(SocketError) {
            // Connections are possible only after listen(2), so the socket is never reachable with a wider mode.
            try Self.check(chmod(temporary, mode_t(mode)) == 0 ? 0 : -errno, path)
            try Self.check(clinux_listen(descriptor, backlog), path)
            var device: UInt64 = 0
            var inode: UInt64 = 0
            var isSocket: Int32 = 0
            try Self.check(clinux_inode(temporary, &device, &inode, &isSocket), path)
            self.device = device
            self.inode = inode
            self.path = path
            try Self.publish(temporary, as: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Removes the name if it still belongs to this socket.
    func remove() {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var isSocket: Int32 = 0
        guard clinux_inode(path, &device, &inode, &isSocket) == 0 else { return }
        if device == self.device, inode == self.inode { unlink(path) }
    }

    private static func publish(_ temporary: String, as path: String) throws(SocketError) {
        for _ in 0..<attempts {
            let renamed = clinux_rename(temporary, path, 0)
            if renamed == 0 { return }
            guard renamed == -EEXIST else { return try check(renamed, path) }
            switch state(of: path) {
            case .absent: continue
            case .live: throw .inUse(path: path)
            case .other: throw .notASocket(path: path)
            case .stale: break
            }
            let exchanged = clinux_rename(temporary, path, 1)
            if exchanged == -ENOENT { continue }
            try check(exchanged, path)
            // If another program took the path between the check and the exchange, it gets the path back.
            if state(of: temporary) == .live {
                _ = clinux_rename(temporary, path, 1)
                throw .inUse(path: path)
            }
            unlink(temporary)
            return
        }
        throw .inUse(path: path)
    }

    private enum State {
        case absent
        case stale
        case live
        case other
    }

    private static func state(of path: String) -> State {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var isSocket: Int32 = 0
        guard clinux_inode(path, &device, &inode, &isSocket) == 0 else { return .absent }
        guard isSocket == 1 else { return .other }
        let probe = clinux_seqpacket()
        guard probe >= 0 else { return .live }
        defer { Glibc.close(probe) }
        let bytes = Array(path.utf8)
        switch -clinux_unix_connect(probe, bytes, bytes.count) {
        case ECONNREFUSED: return .stale
        case ENOENT: return .absent
        default: return .live
        }
    }

    private static func temporaryPath(beside path: String) -> String {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return directory + "." + String(UInt32.random(in: .min ... .max), radix: 16)
    }

    private static func check(_ result: Int32, _ path: String) throws(SocketError) {
        if result < 0 { throw .system(SystemError(code: -result, attempt: "listen on \(path)")) }
    }
}
