import Wire

/// A message from the agent to `boxagent`, a greeter or a session's helper: a map with named fields. A listing has one
/// reply for each item. `done` or `failure` is the last reply.
///
/// `enrolmentCode` carries the one-time secret. Its bytes stay in the receive buffer.
public enum ControlReply: Equatable, Sendable {
    case done(text: String)
    /// The problem and its cure.
    case failure(FailureKind, what: String, cure: String)
    case status(AgentStatus)
    case identity(boxID: String, authorityKeyID: [UInt8], serial: UInt64)
    /// The address of the web phone to enrol. Comes before the code.
    case webPage(address: String)
    case enrolmentCode(uri: Range<Int>, validSeconds: UInt64)
    /// A phone connected with the code.
    case enrolmentContact
    /// The connected phone left, so its code is cancelled and no answer is needed. A `failure` follows.
    case enrolmentLost
    /// The digits that both sides show. The administrator compares them and answers with `confirmEnrolment`.
    case enrolmentDigits(digits: String, label: [UInt8])
    case enrolled(device: [UInt8], user: [UInt8])
    case device(DeviceListing)
    /// The account's name in the user database, or the requested name if there is no other or no answer.
    case account(user: [UInt8], isAnswered: Bool)
    case auditEntry(AuditListing)
    case auditSegment(AuditSegmentListing)
    /// The public keys of the authority that signs segments and of the box, 32 bytes each.
    case auditSigner(authority: [UInt8], box: [UInt8])
    case finding(Finding)
    /// A session, with the outcome of the requested action.
    case session(SessionListing)
    /// A message for the user of the session. An empty one withdraws the last.
    case notice(text: String)
    /// One phone of the reply to `explainPresence`.
    case presence(PresenceListing)
    /// A stage of `test-login`.
    case testStage(text: String)
    /// A stage of `join-site`.
    case joinStage(text: String)
    /// The answer to `site`. It is not sent if the box belongs to no site.
    case site(SiteListing)
    /// The result of an imported bundle.
    case siteImported(SiteImportListing)
    case greeter(GreeterState)
    /// The answer to `claimTap`: whether the tap now belongs to this greeter.
    case tapClaimed(Bool)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> ControlReply {
        try read(input)
    }

    /// Encodes any reply but an enrolment code. See `encodeEnrolmentCode`.
    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        if case .enrolmentCode = self { throw .unknownMessage }
        return try write(secret: RawSpan(), to: &output)
    }

    /// Encodes an enrolment code into a buffer that the caller wipes.
    public static func encodeEnrolmentCode(
        uri: RawSpan, validSeconds: UInt64, into output: inout MutableRawSpan
    ) throws(ControlMessageError) -> Int {
        try ControlReply.enrolmentCode(uri: 0..<uri.byteCount, validSeconds: validSeconds)
            .write(secret: uri, to: &output)
    }
}

/// The kind of a failure, for exit codes.
public enum FailureKind: String, Sendable {
    case notPermitted = "not-permitted"
    case notFound = "not-found"
    case invalid, busy
    case timedOut = "timed-out"
    case fault, declined
}
