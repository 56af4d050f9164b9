import AgentConfiguration
import ControlProtocol
import Links
import Names
import PAMProtocol
import PhoneMessages
import Secrets
import VaultPort

/// A connection of `boxagent`, a greeter or a session's helper.
package struct ControlID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    package static func < (left: ControlID, right: ControlID) -> Bool { left.number < right.number }
}

/// An event for the agent. The machine gets all its input by events.
package enum Event: Sendable {
    case phone(ChannelID, ChannelEvent)
    case program(ProgramID, ProgramEvent)
    case control(ControlID, ControlEvent)
    case answered(OperationID, Answer)
    case logind(LogindEvent)
    case radio(RadioCondition)
    case site(SiteLinkID, SiteLinkEvent)
    /// The user database has numbered a user. `others` are devices of an account that had the name before.
    case numbered(accepted: [DeviceID], others: [DeviceID])
    /// Handles every deadline that has passed, as every other event also does.
    case timeHasCome
    case started
    case policy(Configuration)
    /// Ends everything in order. Programs fall back to their prompt, and phones are told.
    case stop
}

/// An event of a phone's channel.
package enum ChannelEvent: Sendable {
    /// A new link over this connection.
    case arrived(connection: String)
    /// The phone wants the site document in clear, before any handshake. `shown` is the phone's own document, if any.
    case wantsDocument(shown: [UInt8]?)
    /// Message 1 of an enrolment names this code and needs its secret.
    case triesCode([UInt8])
    /// The code's secret matched.
    case codeFitted
    /// The first transport message decrypted under an enrolled key. The sheet is the vault's data at that moment.
    case proved(DeviceSheet)
    /// Message 1 is from a key that the vault does not know. The agent decides whether to answer it.
    case unknownKey
    /// The first transport message decrypted under an unknown key of 32 bytes, which the vault still does not know.
    case provedStranger([UInt8])
    /// Like `proved`, under the secret of the open code. `nonce` is 32 random bytes, shown once the phone has
    /// committed. `isEnrolled` is true if the vault already knows the key.
    case provedCode(publicKey: [UInt8], handshakeHash: [UInt8], nonce: [UInt8], isEnrolled: Bool)
    /// A request other than a ping. The channel answers pings itself.
    case asked(PhoneRequestMessage)
    /// A request that the box carries to the phone's site, with the handshake hash of the phone's channel, 32 bytes.
    case askedOfSite(PhoneRequestMessage, channel: [UInt8])
    /// `peer` is for the log, safe to print.
    case left(ChannelEnd, peer: String)

    /// - Parameter hash: The channel's handshake hash, or nil while there is none.
    static func asked(_ message: PhoneRequestMessage, on hash: [UInt8]?) -> Self {
        guard message.request.sealedForSite != nil, let hash else { return .asked(message) }
        return .askedOfSite(message, channel: hash)
    }
}

package enum ProgramEvent: Sendable {
    case asks(PAMAuthentication, Caller)
    case says(PAMEvent)
    /// chauthtok changed the user's password.
    case changedPassword(of: [UInt8], Caller)
    /// A session of the user was opened after a typed password was accepted.
    case typedPassword(of: [UInt8], session: [UInt8], Caller)
    case left
}

package enum ControlEvent: Sendable {
    /// A request that policy allows the caller. The shell itself answers requests that need no decision.
    case asks(ControlRequest, Caller)
    /// `boxagent revoke`: the devices that the argument names, whether several are allowed, and the argument.
    case revokes([DeviceRecord], all: Bool, named: [UInt8], Caller)
    /// `boxagent wipe`: the devices that the argument names.
    case wipes([DeviceRecord], WipeSelection, Caller)
    /// `boxagent join` with its code, by an administrator.
    case joins(HeldSecret)
    case left
}
