import AgentConfiguration
import ControlProtocol
import Links
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

/// What happens to the agent. The machine hears of the world by these alone.
package enum Event: Sendable {
    case phone(ChannelID, PhoneEvent)
    case program(ProgramID, ProgramEvent)
    case control(ControlID, ControlEvent)
    case answered(OperationID, Answer)
    case logind(LogindEvent)
    case radio(RadioCondition)
    case site(SiteLinkID, SiteLinkEvent)
    /// Every deadline up to now is due; also comes with every other event.
    case timeHasCome
    case started
    case policy(Configuration)
    /// Everything ends in order: programs fall back to their prompt, phones are told.
    case stop
}

package enum PhoneEvent: Sendable {
    /// A link, over this connection.
    case arrived(connection: String)
    /// The box's site document is wanted, in clear; the one that the phone shows, if it does. No handshake has been made.
    case wantsDocument(shown: [UInt8]?)
    /// Message 1 of an enrolment names this code: its secret is wanted.
    case triesCode([UInt8])
    /// That secret fitted.
    case codeFitted
    /// The first transport message decrypted under an enrolled key: what the vault says of the device at that moment.
    case proved(DeviceSheet)
    /// Message 1 is from a key that the vault does not know: whether it is answered all the same is for the agent to say.
    case unknownKey
    /// The first transport message decrypted under such a key, 32 bytes; the vault does not know it still.
    case provedStranger([UInt8])
    /// The same as `proved`, under the secret of the open code. `nonce`: 32 random bytes, shown once the phone has committed;
    /// `isEnrolled`: the vault knows the key already.
    case provedCode(publicKey: [UInt8], handshakeHash: [UInt8], nonce: [UInt8], isEnrolled: Bool)
    /// A request, but for pings, which the channel answers by itself.
    case asked(PhoneRequestMessage)
    /// A request that the box carries to the phone's site, with the handshake hash of the phone's channel, 32 bytes.
    case askedOfSite(PhoneRequestMessage, channel: [UInt8])
    /// `peer`: for the log, safe to print.
    case left(ChannelEnd, peer: String)

    /// - Parameter hash: Of the channel; nil while there is none.
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
    /// A session of the user was opened after a password had been typed and accepted.
    case typedPassword(of: [UInt8], session: [UInt8], Caller)
    case left
}

package enum ControlEvent: Sendable {
    /// A request that policy allows the caller; those that only read the vault the shell answers by itself.
    case asks(ControlRequest, Caller)
    /// `boxagent revoke`: the devices that the words name, whether several may be meant, and the words.
    case revokes([DeviceRecord], all: Bool, named: [UInt8], Caller)
    /// `boxagent wipe`: the devices that the words name.
    case wipes([DeviceRecord], WipeSelection, Caller)
    /// `boxagent join`, by an administrator: the code.
    case joins(HeldSecret)
    case left
}
