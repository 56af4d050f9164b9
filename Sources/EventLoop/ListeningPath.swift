import CLinux
import Glibc

/// A listening socket's name in the file system.
///
/// The socket is bound under a name of its own, given its mode, made to listen, and only then renamed to its path: so
/// nobody ever sees it half made, and no lock is needed that another user could hold. A socket left behind by a dead
/// program is replaced; one that somebody listens on is not.
struct ListeningPath {
    /// Tries against programs that make and remove the same path at the same time.
    private static let attempts = 8

    let path: String
    private let device: UInt64
    private let inode: UInt64

    /// Binds and listens. The descriptor stays the caller's.
    init(binding descriptor: Int32, to path: String, mode: UInt32, backlog: Int32) throws(SocketError) {
        let temporary = Self.temporaryPath(beside: path)
        let bytes = Array(temporary.utf8)
        guard path.utf8.count < CLINUX_SUN_PATH_BYTES else {
            throw .system(
                SystemError(code: ENAMETOOLONG, attempt: "listen on \(path) (a socket's path has at most 107 bytes)"))
        }
        try Self.check(clinux_unix_bind(descriptor, bytes, bytes.count), path)
        do throws(SocketError) {
            // Nobody can connect before it listens, so there is no moment with a wider mode.
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

    /// Removes the name, if it still is this socket's.
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
            // Between the look and the exchange another program may have taken the path: then it gets it back.
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
