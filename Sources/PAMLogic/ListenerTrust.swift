/// Whose socket is believed to be the agent's.
///
/// A password that is taken from a stranger would log somebody in as somebody else, and a program may not look users
/// up inside a PAM module (NSS may ask this very login stack). So the agent's user is not known by name. What is
/// known is the file system: root alone decides who owns the directory that holds the socket, as long as every
/// directory above it is root's and only root may write there. Believed are therefore
/// - root: socket activation, where SO_PEERCRED names who called listen(2), which is systemd;
/// - the program's own effective user: private runs and tests;
/// - the user whom root gave the socket's directory: an agent that binds its own socket in its RuntimeDirectory=.
/// The overflow user, which stands for everybody without a number in this user namespace, never.
public enum ListenerTrust {
    /// /proc/sys/kernel/overflowuid, by default.
    public static let overflowUser: UInt32 = 65_534

    public static func believes(peer: UInt32, own: UInt32, directoryOwner: UInt32?) -> Bool {
        guard peer != overflowUser, peer != UInt32.max else { return false }
        return peer == 0 || peer == own || peer == directoryOwner
    }

    /// One directory on the way to the socket, as lstat(2) shows it.
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

    /// Whom root gave the last directory of `path`, from `/` downwards; nil when somebody else may have had a hand
    /// in it. A symbolic link anywhere is nil too: the line in the PAM configuration should name the real place.
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
