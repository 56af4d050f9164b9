import Glibc

/// Sockets that systemd made and passed to this process (sd_listen_fds(3)).
public enum InheritedSockets {
    /// The first descriptor that systemd passes.
    private static let firstDescriptor: Int32 = 3
    /// Upper bound; none of our units passes more sockets.
    private static let limitDescriptors: Int32 = 16

    /// Takes the sockets by the names in their units (FileDescriptorName=). It works once: it removes the variables, so
    /// that no child uses them. Call it before the first thread starts. Returns an empty result without systemd.
    public static func take() -> [String: Int32] {
        defer {
            unsetenv("LISTEN_PID")
            unsetenv("LISTEN_FDS")
            unsetenv("LISTEN_FDNAMES")
        }
        guard variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
            let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), (1...limitDescriptors).contains(count)
        else { return [:] }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [String: Int32] = [:]
        for index in 0..<count {
            let descriptor = firstDescriptor + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let name = Int(index) < names.count ? String(names[Int(index)]) : "unknown"
            // If two sockets have the same name, the first one counts.
            if sockets[name] == nil { sockets[name] = descriptor }
        }
        return sockets
    }

    static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}
