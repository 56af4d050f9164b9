import AgentConfiguration
import PAMProtocol

/// Decides which programs may receive a credential at all (docs/decisions/015-login-rendezvous.md).
package struct ServicePolicy: Sendable {
    /// PAM services of class `login`. A service that is in neither set is refused.
    package let loginServices: Set<[UInt8]>
    /// PAM services that need the user's permission on the phone each time.
    package let elevationServices: Set<[UInt8]>
    package let serve: Configuration.Login.Serve

    package init(_ configuration: Configuration) {
        loginServices = Set(configuration.login.services.map { Array($0.utf8) })
        elevationServices = Set(configuration.elevation.services.map { Array($0.utf8) })
        serve = configuration.login.serve
    }

    /// Returns why a program is refused, or nil if it may wait for a tap.
    package func refusal(_ request: PAMAuthentication, peer: Caller) -> UnavailableReason? {
        guard peer.mayReceiveCredentials(serve) else { return .callerNotAllowed }
        // A user who comes over a network is not in front of this box.
        guard (request.remoteHost ?? []).isEmpty else { return .remote }
        guard loginServices.contains(request.service) || elevationServices.contains(request.service) else {
            return .serviceNotAllowed
        }
        return nil
    }
}

/// The process at the other end of a Unix socket, by SO_PEERCRED (unix(7)).
package struct Caller: Equatable, Sendable {
    package let uid: UInt32
    package let pid: Int32
    /// The uid that this daemon runs as. That user could read the credential in the daemon's memory anyway.
    package let daemonUID: UInt32

    package init(uid: UInt32, pid: Int32, daemonUID: UInt32) {
        self.uid = uid
        self.pid = pid
        self.daemonUID = daemonUID
    }

    /// The kernel's overflowuid, which stands for a user that a user namespace does not know.
    package static let overflowUID: UInt32 = 65_534

    /// Returns whether the caller may receive credentials. In a trial, only the daemon's own user may.
    package func mayReceiveCredentials(_ serve: Configuration.Login.Serve) -> Bool {
        switch serve {
        case .seat: isAdministrator
        case .own: uid == daemonUID && !isNobody
        }
    }

    /// True for root and for the daemon's own user, which owns the vault.
    package var isAdministrator: Bool {
        uid != Self.overflowUID && (uid == 0 || uid == daemonUID)
    }

    package var isNobody: Bool { uid == Self.overflowUID }
}
