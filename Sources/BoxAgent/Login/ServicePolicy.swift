import AgentConfiguration
import AgentProtocol

/// Which programs may be given a credential at all (docs/decisions/016-programs-at-a-seat.md).
struct ServicePolicy: Sendable {
    /// PAM services of class `login`; services that are not named are refused.
    let loginServices: Set<[UInt8]>
    /// PAM services for which the person is asked on the phone, each time.
    let elevationServices: Set<[UInt8]>
    let serve: Configuration.Login.Serve

    init(_ configuration: Configuration) {
        loginServices = Set(configuration.login.services.map { Array($0.utf8) })
        elevationServices = Set(configuration.elevation.services.map { Array($0.utf8) })
        serve = configuration.login.serve
    }

    /// Why a program is refused, or nil when it may wait for a tap.
    func refusal(_ request: PAMAuthentication, peer: Caller) -> UnavailableReason? {
        guard peer.mayReceiveCredentials(serve) else { return .callerNotAllowed }
        // Whoever comes over a network does not stand in front of this box.
        guard (request.remoteHost ?? []).isEmpty else { return .remote }
        guard loginServices.contains(request.service) || elevationServices.contains(request.service) else {
            return .serviceNotAllowed
        }
        return nil
    }
}

/// Who is at the other end of a Unix socket, by SO_PEERCRED (unix(7)).
struct Caller: Equatable, Sendable {
    let uid: UInt32
    let pid: Int32
    /// The uid that this daemon runs as: it could read the credential in its own memory anyway.
    let daemonUID: UInt32

    /// The uid of somebody that a user namespace does not know (kernel's overflowuid).
    static let overflowUID: UInt32 = 65_534

    /// In a trial only who could read the agent's memory anyway: whoever else comes is none of its business.
    func mayReceiveCredentials(_ serve: Configuration.Login.Serve) -> Bool {
        switch serve {
        case .seat: isAdministrator
        case .own: uid == daemonUID && !isNobody
        }
    }

    /// Root administers, and the daemon's own user, which owns the vault.
    var isAdministrator: Bool {
        uid != Self.overflowUID && (uid == 0 || uid == daemonUID)
    }

    var isNobody: Bool { uid == Self.overflowUID }
}
