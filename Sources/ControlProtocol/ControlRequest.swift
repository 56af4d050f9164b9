import Names
import Wire

public enum SessionAction: String, Sendable, CaseIterable {
    case lock, unlock, logout
}

/// The sessions that a command selects. Only root may select those of other users.
public enum SessionSelection: Equatable, Sendable {
    case own
    case session([UInt8])
    case user([UInt8])
    case all
}

/// The box-held credentials to destroy.
public enum WipeSelection: Equatable, Sendable {
    case device([UInt8])
    case user([UInt8])
    case all
}

/// A message from `boxagent`, a greeter or a session's helper to the agent: one SOCK_SEQPACKET message each.
///
/// A connection has one request at a time, whose replies end with `done` or `failure`. `confirmEnrolment` answers a
/// reply of `enrol` or `enrolSelf`.
public enum ControlRequest: Equatable, Sendable {
    case status
    case identity
    /// Requests a code for a new phone.
    case enrol(EnrolmentWish)
    /// Requests a site's code for a phone of the caller, who has just logged in here. `replacing` is the beginning of
    /// the id of the phone that the new one replaces, or empty.
    case enrolSelf(replacing: [UInt8])
    /// Tells whether the phone shows these digits of the agent. The digits bind the answer to one phone.
    case confirmEnrolment(digits: String, accept: Bool)
    /// Revokes a device by its id or a unique beginning of it.
    case revoke(device: [UInt8])
    case revokeUser([UInt8])
    /// Revokes all web phones.
    case revokeWeb
    case devices
    /// Accepts the refused phones of this user, whose account has another number now: it is the same person.
    case samePerson(user: [UInt8])
    /// Asks for the account's own name. `renaming` first looks up all users, for commands that select phones by user.
    case account(user: [UInt8], renaming: Bool)
    /// Lists at most `limit` entries with a number above `after`, oldest first.
    case audit(after: UInt64, limit: UInt64)
    case verifyAudit
    /// Lists at most 100 segments with a number above `after`, oldest first. `sealing` first closes the open one.
    case auditSegments(after: UInt64, sealing: Bool)
    /// Permanently deletes all segments up to the one with this number.
    case pruneAudit(through: UInt64)
    case wipe(WipeSelection)
    case doctor
    /// Waits for a tap as a login would, and reports it without a login.
    case testLogin(user: [UInt8]?, waitSeconds: UInt64)
    /// Performs an action on the selected sessions. The agent sends a `ControlReply.session` with the outcome of each.
    case session(SessionAction, SessionSelection)
    /// Lists sessions: all for root, otherwise the caller's own.
    case sessions
    /// Registers this connection as the caller's helper in a logind session. While it is open, the
    /// helper handles Lock and Unlock. After `done`, the agent sends `notice` replies at any time.
    case sessionHelper(session: [UInt8])
    /// Reports why this connection's helper could not lock its session. The agent does not answer.
    case lockRefused(reason: String)
    /// Follows box ID, radio and taps for a greeter on `terminal`. Replies at once and after each change, without an
    /// end.
    case greet(terminal: [UInt8])
    /// Claims the tap of `user`, so that no other greeter shows it. The greeter is about to log the user in.
    case claimTap(user: [UInt8])
    /// Explains, for each phone that is here or owns a session, why it counts as present, near or away.
    case explainPresence
    /// Joins the site of the code, whose bytes stay in the receive buffer. `joinStage` replies come before the last
    /// reply.
    case joinSite(code: Range<Int>)
    case leaveSite
    /// Asks for the site of the box.
    case site
    /// Sends the next bytes of a site's bundle. The bundle takes effect with its last part, as a whole or not at all.
    case importSite(part: [UInt8], isLast: Bool)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> ControlRequest {
        try read(input)
    }

    /// Encodes any request but a join code. See `encodeJoin`.
    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        if case .joinSite = self { throw .unknownMessage }
        return try write(secret: RawSpan(), to: &output)
    }

    /// Encodes a join code into a buffer that the caller wipes.
    public static func encodeJoin(
        code: RawSpan, into output: inout MutableRawSpan
    ) throws(ControlMessageError) -> Int {
        try ControlRequest.joinSite(code: 0..<code.byteCount).write(secret: code, to: &output)
    }
}
