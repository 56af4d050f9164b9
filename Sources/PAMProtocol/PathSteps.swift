/// The directories on an absolute path.
public enum PathSteps {
    /// Returns the directories to check in order: `/`, `/run` and `/run/boxagent` for `/run/boxagent/pam.sock`.
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
