import AgentConfiguration
import PAMProtocol

/// Which programs may be given a credential at all (docs/decisions/015-login-rendezvous.md).
package struct ServicePolicy: Sendable {
    /// PAM services of class `login`; services that are not named are refused.
    package let loginServices: Set<[UInt8]>
    /// PAM services for which the person is asked on the phone, each time.
    package let elevationServices: Set<[UInt8]>
    package let serve: Configuration.Login.Serve

    package init(_ configuration: Configuration) {
        loginServices = Set(configuration.login.services.map { Array($0.utf8) })
        elevationServices = Set(configuration.elevation.services.map { Array($0.utf8) })
        serve = configuration.login.serve
    }

    /// Why a program is refused, or nil when it may wait for a tap.
    package func refusal(_ request: PAMAuthentication, peer: Caller) -> UnavailableReason? {
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
package struct Caller: Equatable, Sendable {
    package let uid: UInt32
    package let pid: Int32
    /// The uid that this daemon runs as: it could read the credential in its own memory anyway.
    package let daemonUID: UInt32

    package init(uid: UInt32, pid: Int32, daemonUID: UInt32) {
        self.uid = uid
        self.pid = pid
        self.daemonUID = daemonUID
    }

    /// The uid of somebody that a user namespace does not know (kernel's overflowuid).
    package static let overflowUID: UInt32 = 65_534

    /// In a trial only who could read the agent's memory anyway: whoever else comes is none of its business.
    package func mayReceiveCredentials(_ serve: Configuration.Login.Serve) -> Bool {
        switch serve {
        case .seat: isAdministrator
        case .own: uid == daemonUID && !isNobody
        }
    }

    /// Root administers, and the daemon's own user, which owns the vault.
    package var isAdministrator: Bool {
        uid != Self.overflowUID && (uid == 0 || uid == daemonUID)
    }

    package var isNobody: Bool { uid == Self.overflowUID }
}
