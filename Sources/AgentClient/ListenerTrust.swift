import CLinux

/// Who may serve the agent's socket: anybody else could be after an administrator's answers.
struct ListenerTrust: Sendable {
    /// The kernel's overflow user: what a user of another user namespace looks like.
    static let overflowUser: UInt32 = 65_534

    let ownUser: UInt32
    /// The user that the daemon runs as, where there is one.
    let agentUser: UInt32?

    /// What holds on this machine.
    static func ofThisMachine() -> ListenerTrust {
        ListenerTrust(ownUser: clinux_user(), agentUser: user(named: "boxagent"))
    }

    func trusts(_ user: UInt32) -> Bool {
        guard user != Self.overflowUser else { return false }
        return user == 0 || user == ownUser || user == agentUser
    }

    private static func user(named name: String) -> UInt32? {
        var user: UInt32 = 0
        return clinux_user_named(name, &user) == 1 ? user : nil
    }
}
