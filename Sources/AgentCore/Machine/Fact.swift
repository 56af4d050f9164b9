import PAMProtocol
import AuditLog
import Names
import PhoneMessages
import SiteLink
import SiteTrust
import VaultPort

/// A fact that one component reports to the others. `AgentMachine+Facts` and `AgentMachine+SitePhones` route each
/// group in one switch without a default, so the compiler finds a fact without a route.
package enum Fact: Sendable {
    case phone(PhoneFact)
    case site(SiteFact)
    case login(LoginFact)
    case session(SessionFact)
    case presence(PresenceFact)
    case ledger(LedgerFact)
}

/// About links and phones.
package enum PhoneFact: Sendable {
    /// The channel belongs to this device from now on.
    case identified(ChannelID, DeviceSheet)
    /// The phone has announced its capabilities.
    case greeted(ChannelID, DeviceRecord, Capabilities)
    /// A request of a device, other than those that Phones answers itself.
    case asked(DeviceRequest)
    /// A request on an enrolment channel.
    case askedToEnrol(ChannelID, PhoneRequestMessage)
    /// `last` is true if the device has no other channel.
    case channelLeft(ChannelID, DeviceRecord?, last: Bool)
    case linksChanged
    /// The channel belongs to the phone of the open enrolment.
    case enrolmentContact(ChannelID)
    /// The command's enrolment has ended, or did not begin.
    case enrolmentOver(ControlID)
    /// The vault's data about a device that has no channel.
    case sheetKnown(DeviceSheet)
    case sheetUnreadable(DeviceID)
    case autoLogoutChosen(DeviceID)
    case thresholdsChosen(DeviceID)
    /// From now on, earlier and later requests of the devices have no effect.
    case barred([DeviceID])
    /// The vault has answered a revocation. The muted channels end, with `revoked` as the last word if it was stored.
    case revoked([DeviceID], [ChannelID], isStored: Bool)
}

/// About the site and the phones that its grants admit.
package enum SiteFact: Sendable {
    /// A phone that claims to belong to the site has sent hello.
    case visitorGreets(VisitorHello)
    /// The visitor is a device of the box now, or was one already. The grant is the phone's current one.
    case visitorIsIn(VisitorHello, DeviceSheet, Grant)
    /// `entry` is the revocation as the site signed it.
    case visitorIsOut(VisitorHello, ResultCode, entry: [UInt8]?)
    /// The site's valid revocations may cover known phones.
    case siteTookBack
    /// Devices that were removed because other phones displaced them or their grants were revoked.
    case sitePhonesGone([DeviceID])
    /// The vault has answered the removal. The muted channels end, with the site's entry as the last word.
    case sitePhonesDropped([DeviceID], [(channel: ChannelID, entry: [UInt8]?)], isStored: Bool)
    /// The site has issued a new grant for a phone. It is not verified yet.
    case siteGrant(ClaimedGrant)
    /// The phone's renewed grant is stored.
    case siteGrantKept(DeviceID, [UInt8])
    /// A phone's message for the site, forwarded unchanged.
    case carryAsked(ChannelID, [UInt8])
    /// The site's message for that phone.
    case carried(ChannelID, [UInt8])
    /// The box carries no further message for that phone.
    case carryOver(ChannelID)
    /// The box has left its site. If `isStored` is false, it could not.
    case siteLeft(isStored: Bool)
    /// A sealed request for the site, from the channel with this hash. Exactly one `siteAnswered` follows.
    case asksSite(OperationID, channel: [UInt8], sealed: [UInt8])
    /// Nil if the box has no link to its site, or the site did not answer.
    case siteAnswered(OperationID, HeldAnswer.Outcome?)
    /// This user has just logged in here, and wants to enrol their own phone.
    case selfEnrolmentWanted(ControlID, user: [UInt8], replacing: [UInt8])
    /// The site has done a phone's sealed request. The phone gets its state, which contains the number of tries left.
    case triesTold(DeviceID, ChannelID)
}

/// About credentials, logins and elevations.
package enum LoginFact: Sendable {
    case credentialKnown(DeviceID, CredentialState?)
    /// The password was changed after the credential was stored.
    case credentialStale(DeviceID)
    /// A wipe of the devices' stored credentials was ordered. The credentials still exist.
    case wipeBegins([DeviceID])
    /// The wipe has ended, with or without success.
    case wipeOver([DeviceID])
    /// Wrong PINs have destroyed the credential that the vault or the site held for the device.
    case credentialWiped(DeviceID)
    /// A credential is available, with the user's tap.
    case opened(Tap, for: TapPurpose)
    /// Policy lets the program request a password that the user must allow on the phone.
    case elevationAsked(ProgramID, PAMAuthentication, Caller)
    /// A program gets a credential. `elevation` is the request that the user allowed.
    case granted(Applicant, Tap, elevation: ElevationRendezvous.Ask?)
    /// A program did not take its credential, and counts as gone.
    case programGone(ProgramID)
    /// A login or an elevation of the device succeeded.
    case used(DeviceID, user: [UInt8])
    case judged(Delivery, ResultCode)
}

/// About sessions.
package enum SessionFact: Sendable {
    /// `process` belongs to the program. It is nil if there is no process.
    case sessionOpened(ProgramID, SessionTarget, by: DeviceID, process: Int32?)
    /// No PAM module has refused the session that the program opened.
    case sessionLasts(ProgramID)
    case programEndedSession(ProgramID, said: Bool)
    /// The program's session has ended, but not by the program.
    case sessionRemoved(ProgramID)
    /// The session's limits count from now on.
    case sessionTracked(SessionKey, DeviceID, since: Duration, extensions: Int64)
    case sessionEnded(SessionKey, OwnedSession, isLastOfDevice: Bool)
    /// The user of the device is expected at the box soon.
    case somebodyExpected
    case idle(SessionKey, since: Duration?)
    case sessionsRead
    /// The session was told to end for this reason. It may not have ended yet.
    case sessionEnding(SessionKey, OwnedSession, SessionEnd)
    /// The outcome of an act on a session. `changes` is true if the act was meant to change the session's state.
    case sessionActed(SessionKey, OwnedSession, SessionOperation, SessionOutcome, changes: Bool)
    /// The session of an earlier `sessionTracked` has a new key. The session did not end.
    case sessionRekeyed(from: SessionKey, to: SessionKey)
    /// The deadlines of an earlier run of the agent, before `sessionsRead`.
    case deadlinesRead([StoredDeadline])
    /// Stored rows of sessions. Sessions of earlier boots ended with those boots, and are reported once.
    case rowsRead(ofEarlierBoots: [StoredSession], ofThisBoot: [StoredSession])
    /// The owners of sessions have been unknown for a minute: lock every user's session.
    case ownersUnknown
    /// The vault did not name the owner of a session that a stored deadline ends.
    case ownerUnreadable
    /// A newer helper of the session replaces this connection.
    case helperReplaced(ControlID)
}

/// About presence and logouts.
package enum PresenceFact: Sendable {
    case away(DeviceID, why: String)
    case back(DeviceID)
    case logoutDue(SessionKey, LogoutCause)
    /// A deadline of an earlier run has passed, and no session of the device is known.
    case logoutDueUnseen(DeviceID)
    case warned(SessionKey, LogoutCause, at: Duration)
    case warningWithdrawn(SessionKey)
}

/// About the audit log, the journal and rows.
package enum LedgerFact: Sendable {
    /// A component that asks before it changes a device's row.
    package enum RowOwner: Sendable {
        case presences
        case logouts
    }

    case happened(AuditEvent)
    case happenedAgain(AuditEvent, user: [UInt8]?, paidBy: WriteBudget.Payer)
    /// A line of the log that a user or phone can cause repeatedly, and pays for.
    case logged(LogLine, user: [UInt8]?, paidBy: WriteBudget.Payer)
    /// The count of the device's surplus is stored. Deferred rows may be written now.
    case budgetSettled(DeviceID)
    /// The component wants to change a row of the device, which pays. `mayWrite` gets the budget's decision.
    case wantsToWrite(RowOwner, DeviceID, user: [UInt8])
}

/// The purpose of a tap with a credential.
package enum TapPurpose: Equatable, Sendable {
    case login
    case elevation(ElevationID)
}

/// One request of an authenticated device. The user is the one in the device's record, never one named in a message.
package struct DeviceRequest: Sendable {
    package let channel: ChannelID
    package let device: DeviceRecord
    package let id: RequestID
    package let request: PhoneRequest
    /// The channel's handshake hash if the request is carried to the site, else empty.
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
