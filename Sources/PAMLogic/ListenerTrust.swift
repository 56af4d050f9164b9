/// Decides whether a socket belongs to the agent.
///
/// A password from an impostor could log a user in as another user. A PAM module must not look up the agent's user,
/// because NSS may call this very login stack. Instead, the owner of the socket's directory is examined. Only root can
/// have chosen that owner if root owns all directories above and no other user may write to them. These users are
/// trusted:
/// - root, for socket activation: SO_PEERCRED names the process that called listen(2), which is systemd.
/// - The program's own effective user, for private runs and tests.
/// - The owner that root gave the socket's directory, for an agent that binds its own socket in its RuntimeDirectory=.
///
/// The overflow user, which stands for every user without a number in this user namespace, is never trusted.
public enum ListenerTrust {
    /// The default of /proc/sys/kernel/overflowuid.
    public static let overflowUser: UInt32 = 65_534

    public static func believes(peer: UInt32, own: UInt32, directoryOwner: UInt32?) -> Bool {
        guard peer != overflowUser, peer != UInt32.max else { return false }
        return peer == 0 || peer == own || peer == directoryOwner
    }

    /// One directory on the path to the socket, from lstat(2).
    public struct Directory: Sendable {
        public var owner: UInt32
        public var isDirectory: Bool
        public var othersMayWrite: Bool

        public init(owner: UInt32, isDirectory: Bool, othersMayWrite: Bool) {
            self.owner = owner
            self.isDirectory = isDirectory
            self.othersMayWrite = othersMayWrite
        }
    }

    /// Returns the owner that root gave the last directory of `path`, which starts at `/`. Returns nil if another user
    /// may have changed the path, or if it has a symbolic link: the PAM line should have the real path.
    public static func delegate(_ path: [Directory]) -> UInt32? {
        guard let last = path.last else { return nil }
        for directory in path {
            guard directory.isDirectory, !directory.othersMayWrite else { return nil }
        }
        for directory in path.dropLast() {
            guard directory.owner == 0 else { return nil }
        }
        return last.owner
    }
}
