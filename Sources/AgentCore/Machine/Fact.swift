import AuditLog
import PhoneMessages
import VaultPort

/// What a room tells the others. Who hears it stands in `AgentMachine+Routing`, and nowhere else.
package enum Fact: Sendable {
    // Phones.
    /// A channel is a device's from now on.
    case identified(ChannelID, DeviceSheet)
    /// The phone has said what it understands.
    case greeted(ChannelID, DeviceRecord, Capabilities)
    /// A request of a device, but for what Phones answers by itself.
    case asked(DeviceRequest)
    /// A request on an enrolment channel.
    case askedToEnrol(ChannelID, PhoneRequestMessage)
    /// `last`: the device has no other channel.
    case channelLeft(ChannelID, DeviceRecord?, last: Bool)
    case linksChanged
    case autoLogoutChosen(DeviceID)
    case thresholdsChosen(DeviceID)
    /// From here on nothing that the devices have sent or send has an effect.
    case barred([DeviceID])

    // Credentials, logins, elevation.
    case credentialKnown(DeviceID, CredentialState?)
    /// A credential is in hand, with the person's tap.
    case opened(Tap, for: TapPurpose)
    /// A program gets a credential; `elevation`: the request that the person allowed.
    case granted(ProgramID, Tap, ElevationRendezvous.Ask?)
    case judged(Delivery, ResultCode)
    case accountProblem(DeviceID, AccountProblem)

    // Sessions.
    case sessionOpened(ProgramID, SessionTarget, DeviceID, AuditActor)
    case programEndedSession(ProgramID)
    /// From here on the session's limits count.
    case sessionTracked(SessionKey, DeviceID, since: Duration, extensions: Int64)
    case sessionEnded(SessionKey, OwnedSession, isLastOfDevice: Bool)
    /// The person of the device is likely to come to the box soon.
    case somebodyExpected
    case idle(SessionKey, since: Duration?)
    case sessionsRead
    case extensionLost(SessionKey)

    // Presence and logout.
    case away(DeviceID, why: String)
    case back(DeviceID)
    case logoutDue(SessionKey, LogoutCause)
    /// A deadline of an earlier run came, and no session of the device is known.
    case logoutDueUnseen(DeviceID)
    case warned(SessionKey, LogoutCause, at: Duration)
    case warningWithdrawn(SessionKey)
    /// What an earlier run left is known: whose sessions are may be read.
    case deadlinesRead
    /// They are to be asked for again, as whose sessions are (`UnreadableVault`).
    case deadlinesUnreadable

    // What is written down.
    case happened(AuditEvent)
    case happenedAgain(AuditEvent, user: [UInt8], paidBy: WriteBudget.Payer)
    /// The room would change a row of the device, which pays: `mayWrite` of the room is called with the budget's verdict.
    case wantsToWrite(Room, DeviceID, user: [UInt8])
}

/// What a tap with a credential is for.
package enum TapPurpose: Equatable, Sendable {
    case login
    case elevation(ElevationID)
}

/// One request of an authenticated device. The user is the one of its record, never one named in a message.
package struct DeviceRequest: Sendable {
    package let channel: ChannelID
    package let device: DeviceRecord
    package let id: RequestID
    package let request: PhoneRequest

    package init(channel: ChannelID, device: DeviceRecord, id: RequestID, request: PhoneRequest) {
        self.channel = channel
        self.device = device
        self.id = id
        self.request = request
    }

    package var tap: TapID { TapID(channel: channel, request: id) }
}
