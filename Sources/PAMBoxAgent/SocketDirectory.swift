import CPAM
import PAMLogicEmbedded

/// The current state of a directory above the socket. A directory that cannot be examined counts as untrusted.
enum SocketDirectory {
    static func look(at path: [UInt8]) -> ListenerTrust.Directory {
        var found = ListenerTrust.Directory(
            owner: ListenerTrust.overflowUser, isDirectory: false, othersMayWrite: true)
        path.withCString { name in
            var status = stat()
            guard lstat(name, &status) == 0 else { return }
            found = ListenerTrust.Directory(
                owner: status.st_uid,
                isDirectory: status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR),
                othersMayWrite: status.st_mode & 0o022 != 0)
        }
        return found
    }
}
