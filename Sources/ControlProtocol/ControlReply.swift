import Wire

/// Agent → `boxagent`, a greeter or a session's helper: a map with named fields. Listings send one reply an item; `done` or
/// `failure` ends.
///
/// `enrolmentCode` carries the one-time secret: its bytes stay in the receive buffer.
public enum ControlReply: Equatable, Sendable {
    case done(text: String)
    /// What is wrong, and what to do next.
    case failure(FailureKind, what: String, cure: String)
    case status(AgentStatus)
    case identity(boxID: String, authorityKeyID: [UInt8], serial: UInt64)
    /// Where the page is that is to be enrolled; it comes before the code.
    case webPage(address: String)
    case enrolmentCode(uri: Range<Int>, validSeconds: UInt64)
    /// A phone has connected with the code.
    case enrolmentContact
    /// The phone that had connected went away, and the code with it: what was asked of it needs no answer any more. A
    /// failure follows.
    case enrolmentLost
    /// The digits that both sides show; the administrator compares and answers `confirmEnrolment` with them.
    case enrolmentDigits(digits: String, label: [UInt8])
    case enrolled(device: [UInt8], user: [UInt8])
    case device(DeviceListing)
    /// The name that the user database has for the account; the one that was asked, where it has no other or does not answer.
    case account(user: [UInt8], isAnswered: Bool)
    case auditEntry(AuditListing)
    case auditSegment(AuditSegmentListing)
    /// Who signs segments, and for which box: their public keys, 32 bytes each.
    case auditSigner(authority: [UInt8], box: [UInt8])
    case finding(Finding)
    /// A session, and what became of what was asked for it.
    case session(SessionListing)
    /// Something that the person in the session should read. Empty: what was said before holds no more.
    case notice(text: String)
    /// One phone of `explainPresence`.
    case presence(PresenceListing)
    /// A stage of `test-login`.
    case testStage(text: String)
    /// A stage of `join-site`.
    case joinStage(text: String)
    /// The answer to `site`; none where the box belongs to no site.
    case site(SiteListing)
    /// What came of a bundle.
    case siteImported(SiteImportListing)
    case greeter(GreeterState)
    /// The answer to `claimTap`: whether the tap was there and is this greeter's now.
    case tapClaimed(Bool)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> ControlReply {
        try read(input)
    }

    /// Encodes all but an enrolment code, which has `encodeEnrolmentCode`.
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

/// Why a request was not done, for exit codes.
public enum FailureKind: String, Sendable {
    case notPermitted = "not-permitted"
    case notFound = "not-found"
    case invalid, busy
    case timedOut = "timed-out"
    case fault, declined
}
