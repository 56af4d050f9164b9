import CLinux

/// The users that may serve the agent's socket. Any other listener could be an attacker that collects what an
/// administrator types.
struct ListenerTrust: Sendable {
    /// The kernel's overflow user, which stands for every user of another user namespace.
    static let overflowUser: UInt32 = 65_534

    let ownUser: UInt32
    /// The user that the daemon runs as, if this machine has that user.
    let agentUser: UInt32?

    /// The trust on this machine, for the current user.
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
