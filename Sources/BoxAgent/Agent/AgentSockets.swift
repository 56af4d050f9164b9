import AgentConfiguration
import EventLoop
import Glibc

/// The configuration is for trials only, but systemd started this agent.
struct TrialOnly: Error, CustomStringConvertible {
    var description: String {
        "login.serve = \"own\" is for trials, but systemd provides the sockets; remove the key from boxagent.toml"
    }
}

/// The agent's two sockets, from systemd or made here (docs/decisions/015-login-rendezvous.md).
struct AgentSockets: Sendable {
    /// For programs that authenticate people. Only root and the agent's user can connect.
    let pam: SeqPacketListener
    /// For all users; SO_PEERCRED identifies them.
    let control: SeqPacketListener

    /// FileDescriptorName= in the systemd units.
    static let pamName = "pam"
    static let controlName = "control"

    /// Takes the sockets that systemd passed, or makes new ones in the runtime directory.
    static func open(_ configuration: Configuration, loop: EpollLoop) throws -> AgentSockets {
        let inherited = InheritedSockets.take()
        // With sockets from systemd, the agent serves the whole machine; there, "own" is not limited to one person.
        if configuration.login.serve == .own, !inherited.isEmpty { throw TrialOnly() }
        let directory = configuration.box.runtimeDirectory
        let limits = configuration.limits
        // All programs belong to root. So a connection yields before its request and after it has received a
        // credential.
        let programs = PeerLimits(
            connections: limits.pamClients, connectionsPerUser: limits.pamClients, keptConnections: 0)
        let commands = PeerLimits(
            connections: limits.controlClients, connectionsPerUser: max(1, limits.controlClients / 2),
            keptConnections: limits.controlClients)
        return AgentSockets(
            pam: try listener(inherited[pamName], directory + "/pam.sock", mode: 0o600, programs, loop),
            control: try listener(inherited[controlName], directory + "/control.sock", mode: 0o666, commands, loop))
    }

    private static func listener(
        _ inherited: Int32?, _ path: String, mode: UInt32, _ limits: PeerLimits, _ loop: EpollLoop
    ) throws(SocketError) -> SeqPacketListener {
        if let inherited { return try SeqPacketListener(inherited: inherited, limits: limits, on: loop) }
        return try SeqPacketListener(path: path, mode: mode, limits: limits, on: loop)
    }

    /// Reserves connections of the control socket for the administrator and for greeters. No other user can take these.
    func keepPlaces(_ configuration: Configuration, _ accounts: AccountDirectory) async {
        var greeters: Set<UInt32> = []
        for name in configuration.login.greeterUsers {
            if let uid = await accounts.uid(of: Array(name.utf8)) { greeters.insert(uid) }
        }
        await control.keepPlaces(for: [[0, geteuid()], greeters])
    }

    func close() async {
        await pam.close()
        await control.close()
    }
}
