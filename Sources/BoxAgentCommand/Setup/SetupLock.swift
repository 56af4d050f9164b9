import Glibc

/// Allows one `boxagent setup` at a time. The lock ends with the process, even after a crash (flock(2)).
struct SetupLock: ~Copyable {
    /// The file is in a directory that only root can write to.
    private static let path = "/run/boxagent-setup.lock"

    private let descriptor: Int32

    /// Returns nil if another process holds the lock.
    init?() throws(SetupFailure) {
        descriptor = open(Self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SetupFailure(writing: Self.path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }
}
