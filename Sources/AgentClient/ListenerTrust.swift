import Glibc

/// Who may serve the agent's socket: anybody else could be after an administrator's answers.
struct ListenerTrust: Sendable {
    /// The kernel's overflow user: what a user of another user namespace looks like.
    static let overflowUser: UInt32 = 65_534

    let ownUser: UInt32
    /// The user that the daemon runs as, where there is one.
    let agentUser: UInt32?

    /// What holds on this machine.
    static func ofThisMachine() -> ListenerTrust {
        ListenerTrust(ownUser: getuid(), agentUser: user(named: "boxagent"))
    }

    func trusts(_ user: UInt32) -> Bool {
        guard user != Self.overflowUser else { return false }
        return user == 0 || user == ownUser || user == agentUser
    }

    private static func user(named name: String) -> UInt32? {
        var record = passwd()
        var buffer = [CChar](repeating: 0, count: 4_096)
        // SAFETY: the buffer outlives the call, and only a number is read from the record it fills.
        var found: UnsafeMutablePointer<passwd>?
        let status = getpwnam_r(name, &record, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? record.pw_uid : nil
    }
}
