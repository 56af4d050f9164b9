import AgentConfiguration
import EventLoop
import Glibc

/// The configuration is one for trials, and this is none.
struct TrialOnly: Error, CustomStringConvertible {
    var description: String {
        "login.serve = \"own\" is for trials, but systemd provides the sockets; remove the key from boxagent.toml"
    }
}

/// The agent's two sockets, from systemd or made by itself (docs/decisions/015-login-rendezvous.md).
struct AgentSockets: Sendable {
    /// For root and this user only: programs that authenticate people.
    let pam: SeqPacketListener
    /// For everybody; SO_PEERCRED tells them apart.
    let control: SeqPacketListener

    /// FileDescriptorName= in the systemd units.
    static let pamName = "pam"
    static let controlName = "control"

    /// Sockets that systemd passed, else new ones in the runtime directory.
    static func open(_ configuration: Configuration, loop: EpollLoop) throws -> AgentSockets {
        let inherited = InheritedSockets.take()
        // A site's agent has its sockets from systemd: there programs that have "own" in mind would be everybody's.
        if configuration.login.serve == .own, !inherited.isEmpty { throw TrialOnly() }
        let directory = configuration.box.runtimeDirectory
        let limits = configuration.limits
        // All of them are root's: who has said nothing yet, or has had its credential, gives way.
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

    /// Places for the administrator, and for greeters, that nobody else can take.
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
