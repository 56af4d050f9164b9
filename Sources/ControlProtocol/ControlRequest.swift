import Names
import Wire

/// What a session command does.
public enum SessionAction: String, Sendable, CaseIterable {
    case lock, unlock, logout
}

/// Which sessions a command is about. Only root may name sessions that are not the caller's own.
public enum SessionSelection: Equatable, Sendable {
    case own
    case session([UInt8])
    case user([UInt8])
    case all
}

/// Which box-held credentials are destroyed.
public enum WipeSelection: Equatable, Sendable {
    case device([UInt8])
    case user([UInt8])
    case all
}

/// `boxagent`, a greeter or a session's helper → agent. One SOCK_SEQPACKET message each, a map with named fields.
///
/// One request is under way on a connection at a time; `confirmEnrolment` answers a reply of `enrol` or `enrolSelf`. The
/// replies of a request end with `done` or `failure`.
public enum ControlRequest: Equatable, Sendable {
    case status
    case identity
    /// A code for a new phone.
    case enrol(EnrolmentWish)
    /// A code of the site for a phone of the caller's, who has just logged in here. `replacing`: what the id of the phone begins with
    /// that goes for it; empty: none.
    case enrolSelf(replacing: [UInt8])
    /// Whether the phone shows these digits, the ones that the agent gave: the answer is about no other phone.
    case confirmEnrolment(digits: String, accept: Bool)
    /// A device by its id or a unique beginning of it.
    case revoke(device: [UInt8])
    case revokeUser([UInt8])
    /// All phones that are pages in a browser.
    case revokeWeb
    case devices
    /// The name of the account that is meant by this one; `renaming` looks up the users of all phones before, for a command that
    /// chooses phones by it.
    case account(user: [UInt8], renaming: Bool)
    /// Entries with a number above `after`, oldest first, at most `limit`.
    case audit(after: UInt64, limit: UInt64)
    case verifyAudit
    /// Closed segments with a number above `after`, oldest first, at most 100; `sealing` closes what is open before.
    case auditSegments(after: UInt64, sealing: Bool)
    /// Drops all segments up to the one of this number, for good.
    case pruneAudit(through: UInt64)
    case wipe(WipeSelection)
    case doctor
    /// Waits for a tap as a login would and says what arrived; nobody is logged in.
    case testLogin(user: [UInt8]?, waitSeconds: UInt64)
    /// Replies with what became of each session, as `session` does.
    case session(SessionAction, SessionSelection)
    /// The sessions there are: all of them for root, else the caller's own.
    case sessions
    /// The connection is a helper's of the caller in this logind session: it answers Lock and Unlock while it is open.
    /// After `done` come `notice` replies, unasked.
    case sessionHelper(session: [UInt8])
    /// The helper of this connection could not lock its session just now: why. Nothing is answered.
    case lockRefused(reason: String)
    /// A greeter on `terminal` follows box ID, radio and taps: a reply now and after each change, without an end.
    case greet(terminal: [UInt8])
    /// The greeter of this connection is about to log `user` in: the tap is shown to no other one.
    case claimTap(user: [UInt8])
    /// For each phone that is here or owns a session, why it counts as present, near or away.
    case explainPresence
    /// The box joins the site that the code is for; the code's bytes stay in the receive buffer. Stages come before the end.
    case joinSite(code: Range<Int>)
    case leaveSite
    /// The site that the box belongs to.
    case site
    /// The next bytes of a bundle of the site; all of it counts with the last, or nothing.
    case importSite(part: [UInt8], isLast: Bool)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> ControlRequest {
        try read(input)
    }

    /// Encodes all but a join code, which has `encodeJoin`.
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
