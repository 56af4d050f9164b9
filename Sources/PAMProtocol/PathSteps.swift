/// The directories that an absolute path goes through.
public enum PathSteps {
    /// `/run/boxagent/pam.sock` → `/`, `/run`, `/run/boxagent`: the directories to look at, in order.
    public static func directories(of path: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = [[0x2F]]
        var current: [UInt8] = []
        for byte in path {
            if byte == 0x2F, !current.isEmpty { found.append(current) }
            current.append(byte)
        }
        return found
    }
}
