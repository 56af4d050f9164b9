import PAMProtocol
import AuditLog
import Names
import PhoneMessages
import SiteLink
import SiteTrust
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
    /// The channel is the phone of the open enrolment.
    case enrolmentContact(ChannelID)
    /// The command's enrolment has ended, or did not begin.
    case enrolmentOver(ControlID)
    /// What the vault keeps of a device that is not here.
    case sheetKnown(DeviceSheet)
    case sheetUnreadable(DeviceID)
    case autoLogoutChosen(DeviceID)
    case thresholdsChosen(DeviceID)
    /// From here on nothing that the devices have sent or send has an effect.
    case barred([DeviceID])
    /// A revocation has its answer: the channels that were silenced end, with `revoked` as the last word where it is stored.
    case revoked([DeviceID], [ChannelID], isStored: Bool)

    // The site's phones.
    /// A phone of the site, or whoever says so, has said hello.
    case visitorGreets(VisitorHello)
    /// The visitor is a device of the box from now on, or was one; the grant that counts.
    case visitorIsIn(VisitorHello, DeviceSheet, Grant)
    /// `entry`: the revocation, as the site signed it.
    case visitorIsOut(VisitorHello, ResultCode, entry: [UInt8]?)
    /// The site's entries that count may cover phones that are known.
    case siteTookBack
    /// Devices that gave way to others, or whose grants are taken back, and are removed.
    case sitePhonesGone([DeviceID])
    /// What was to be removed has its answer: the channels that were silenced end, with the site's entry as the last word.
    case sitePhonesDropped([DeviceID], [(channel: ChannelID, entry: [UInt8]?)], isStored: Bool)
    /// The site has issued a phone's grant anew; nobody has looked at it.
    case siteGrant(ClaimedGrant)
    /// The phone's grant was renewed, and the new one is written down.
    case siteGrantKept(DeviceID, [UInt8])
    /// A phone's message for the site, which is handed on as it is.
    case carryAsked(ChannelID, [UInt8])
    /// The site's message for that phone.
    case carried(ChannelID, [UInt8])
    /// Nothing more is carried for that phone.
    case carryOver(ChannelID)
    /// The box has left its site, or did not.
    case siteLeft(isStored: Bool)

    /// What a phone has sealed for its site, of the channel with this hash: `siteAnswered` comes in any case, once.
    case asksSite(OperationID, channel: [UInt8], sealed: [UInt8])
    /// Nil: the box has no link to its site, or the site did not answer.
    case siteAnswered(OperationID, HeldAnswer.Outcome?)
    /// That user has just logged in here, and would enrol a phone of their own.
    case selfEnrolmentWanted(ControlID, user: [UInt8], replacing: [UInt8])
    /// The phone has asked how many tries are left: they are in its state.
    case triesTold(DeviceID, ChannelID)

    // Credentials, logins, elevation.
    case credentialKnown(DeviceID, CredentialState?)
    /// The password was changed since it was stored.
    case credentialStale(DeviceID)
    /// A credential is in hand, with the person's tap.
    case opened(Tap, for: TapPurpose)
    /// Policy lets the program ask for a password that the person has to allow on the phone.
    case elevationAsked(ProgramID, PAMAuthentication, Caller)
    /// A program gets a credential; `elevation`: the request that the person allowed.
    case granted(Applicant, Tap, elevation: ElevationRendezvous.Ask?)
    /// A program did not take what it was given: it counts as gone.
    case programGone(ProgramID)
    /// A login or an elevation of the device was right.
    case used(DeviceID, user: [UInt8])
    case judged(Delivery, ResultCode)

    // Sessions.
    /// `process`: the program's; nil where it is none.
    case sessionOpened(ProgramID, SessionTarget, by: DeviceID, process: Int32?)
    /// No PAM module has refused the session that the program opened.
    case sessionLasts(ProgramID)
    case programEndedSession(ProgramID)
    /// From here on the session's limits count.
    case sessionTracked(SessionKey, DeviceID, since: Duration, extensions: Int64)
    case sessionEnded(SessionKey, OwnedSession, isLastOfDevice: Bool)
    /// The person of the device is likely to come to the box soon.
    case somebodyExpected
    case idle(SessionKey, since: Duration?)
    case sessionsRead
    /// The session is told to end, for this reason; it may not have ended yet.
    case sessionEnding(SessionKey, OwnedSession, SessionEnd)
    /// What became of an act on a session. `changes`: it was to leave the session another than it was.
    case sessionActed(SessionKey, OwnedSession, SessionOperation, SessionOutcome, changes: Bool)
    /// The session has another key from now on, of which `sessionTracked` told before: nothing of it ended.
    case sessionRekeyed(from: SessionKey, to: SessionKey)
    /// What an earlier run of the agent wrote down, before `sessionsRead`.
    case deadlinesRead([StoredDeadline])
    /// Rows of sessions: those of earlier boots ended with them, and are told of once.
    case rowsRead(ofEarlierBoots: [StoredSession], ofThisBoot: [StoredSession])
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

    /// A wipe of the devices' stored credentials was ordered, and nothing is destroyed yet.
    case wipeBegins([DeviceID])
    /// The wipe has ended, with or without success.
    case wipeOver([DeviceID])
    /// Wrong PINs have destroyed the credential that the vault or the site held for the device.
    case credentialWiped(DeviceID)

    // What is written down.
    case happened(AuditEvent)
    case happenedAgain(AuditEvent, user: [UInt8]?, paidBy: WriteBudget.Payer)
    /// A line of the log that somebody can cause again and again, and pays for.
    case logged(LogLine, user: [UInt8]?, paidBy: WriteBudget.Payer)
    /// What the device caused beyond its budget is written down: what waited for that may be written now.
    case budgetSettled(DeviceID)
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
    /// The handshake hash of the channel, where the request is carried to the phone's site; empty else.
    package let channelHash: [UInt8]

    package init(
        channel: ChannelID, device: DeviceRecord, id: RequestID, request: PhoneRequest, channelHash: [UInt8] = []
    ) {
        self.channelHash = channelHash
        self.channel = channel
        self.device = device
        self.id = id
        self.request = request
    }

    init(_ message: PhoneRequestMessage, of device: DeviceRecord, on channel: ChannelID, _ channelHash: [UInt8]) {
        self.init(
            channel: channel, device: device, id: message.id, request: message.request, channelHash: channelHash)
    }

    package var tap: TapID { TapID(channel: channel, request: id) }
}
