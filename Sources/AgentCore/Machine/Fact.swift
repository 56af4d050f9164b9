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
    /// The session is told to end, for this reason; it may not have ended yet.
    case sessionEnding(SessionKey, OwnedSession, SessionEnd)
    /// What became of an act on a session. `changes`: it was to leave the session another than it was.
    case sessionActed(SessionKey, OwnedSession, SessionOperation, SessionOutcome, changes: Bool)
    /// The session has another key from now on, of which `sessionTracked` told before: nothing of it ended.
    case sessionRekeyed(from: SessionKey, to: SessionKey)
    /// What an earlier run of the agent wrote down, before `sessionsRead`.
    case deadlinesRead([StoredDeadline])
    /// Nobody has known for a minute whose sessions are: every person's session is to be locked.
    case ownersUnknown
    /// The vault did not say whose a session is that a kept deadline ends.
    case ownerUnreadable
    /// Another helper has come to the session: this connection is no helper's any more.
    case helperReplaced(ControlID)

    // Presence and logout.
    case away(DeviceID, why: String)
    case back(DeviceID)
    case logoutDue(SessionKey, LogoutCause)
    /// A deadline of an earlier run came, and no session of the device is known.
    case logoutDueUnseen(DeviceID)
    case warned(SessionKey, LogoutCause, at: Duration)
    case warningWithdrawn(SessionKey)

    // What is written down.
    case happened(AuditEvent)
    case happenedAgain(AuditEvent, user: [UInt8], paidBy: WriteBudget.Payer)
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
