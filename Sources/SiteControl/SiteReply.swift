import ControlProtocol

/// A reply of `boxsited`. Listings send one reply for each item. `done` or `failure` comes last.
public enum SiteReply: Equatable, Sendable {
    case done(text: String)
    /// The problem, and what to do next.
    case failure(FailureKind, what: String, cure: String)
    case status(SiteStatus)
    case box(BoxListing)
    /// The box's number and its join code. The code has a one-time secret, so its bytes stay in the receive buffer.
    case joinCode(number: String, code: Range<Int>)
    case phone(PhoneListing)
    /// A new enrolment code: its ID (8 bytes), and the text, which contains a one-time secret.
    case enrolmentCode(id: [UInt8], code: Range<Int>)
    case enrolment(EnrolmentListing)
    /// The text for the phone, which is not secret.
    case grant(text: String)
    case administrator(AdministratorListing)
    /// A waiting proposal, in a list or as the result of an order that needs a second administrator.
    case proposal(ProposalListing)
    /// The newest site document.
    case document(text: String)
    /// The request for the root to list new issuers, the file with their keys, and whether they were just made.
    case issuers(request: String, file: String, areNew: Bool)
    /// A task that an administrator must do soon. Follows the status.
    case alarm(text: String)
    case passkey(PasskeyListing)
    /// The next bytes of a bundle.
    case bundlePart([UInt8])
    case waitingBox(WaitingListing)
    case bulkCode(BulkCodeListing)
    case listEnd(ListEnd)
    /// A link for setting up a passkey. It contains a one-time code, which is secret like a join code.
    case link(Range<Int>)
    case auditEntry(AuditEntryListing)
    /// Lines of an export, without the last line break.
    case auditLines(String)
    /// A name to look up, only for boxsite-directory.
    case lookUp(DirectoryName)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> SiteReply { try read(input) }

    /// Encodes all replies except codes and links, which have `encodeJoinCode`, `encodeEnrolmentCode` and `encodeLink`.
    package func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        switch self {
        case .joinCode, .link, .enrolmentCode: throw .unknownMessage
        default: return try write(secret: RawSpan(), to: &output)
        }
    }

    /// Encodes a link into a buffer that the caller wipes.
    package static func encodeLink(
        _ link: RawSpan, into output: inout MutableRawSpan
    ) throws(ControlMessageError) -> Int {
        try SiteReply.link(0..<link.byteCount).write(secret: link, to: &output)
    }

    /// Encodes an enrolment code into a buffer that the caller wipes.
    package static func encodeEnrolmentCode(
        id: [UInt8], code: RawSpan, into output: inout MutableRawSpan
    ) throws(ControlMessageError) -> Int {
        try SiteReply.enrolmentCode(id: id, code: 0..<code.byteCount).write(secret: code, to: &output)
    }

    /// Encodes a join code into a buffer that the caller wipes.
    package static func encodeJoinCode(
        number: String, code: RawSpan, into output: inout MutableRawSpan
    ) throws(ControlMessageError) -> Int {
        try SiteReply.joinCode(number: number, code: 0..<code.byteCount).write(secret: code, to: &output)
    }
}

extension SiteReply: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case done, failure, status, box, phone, grant, administrator, proposal, document, issuers, alarm, passkey, link
        case enrolment
        case auditEntry = "audit-entry"
        case joinCode = "join-code"
        case enrolmentCode = "enrolment-code"
        case bundlePart = "bundle-part"
        case waitingBox = "waiting-box"
        case bulkCode = "bulk-code"
        case listEnd = "list-end"
        case auditLines = "audit-lines"
        case lookUp = "look-up"
    }

    package var kind: Kind {
        switch self {
        case .done: .done
        case .failure: .failure
        case .status: .status
        case .box: .box
        case .joinCode: .joinCode
        case .phone: .phone
        case .grant: .grant
        case .administrator: .administrator
        case .proposal: .proposal
        case .document: .document
        case .issuers: .issuers
        case .alarm: .alarm
        case .passkey: .passkey
        case .link: .link
        case .enrolmentCode: .enrolmentCode
        case .enrolment: .enrolment
        case .auditEntry: .auditEntry
        case .bundlePart: .bundlePart
        case .waitingBox: .waitingBox
        case .bulkCode: .bulkCode
        case .listEnd: .listEnd
        case .auditLines: .auditLines
        case .lookUp: .lookUp
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .done: .done(text: "")
            case .failure: .failure(.fault, what: "", cure: "")
            case .status: .status(SiteStatus())
            case .box: .box(BoxListing())
            case .joinCode: .joinCode(number: "", code: 0..<0)
            case .phone: .phone(PhoneListing())
            case .grant: .grant(text: "")
            case .administrator: .administrator(AdministratorListing())
            case .proposal: .proposal(ProposalListing())
            case .document: .document(text: "")
            case .issuers: .issuers(request: "", file: "", areNew: false)
            case .alarm: .alarm(text: "")
            case .passkey: .passkey(PasskeyListing())
            case .link: .link(0..<0)
            case .enrolmentCode: .enrolmentCode(id: [], code: 0..<0)
            case .enrolment: .enrolment(EnrolmentListing())
            case .auditEntry: .auditEntry(AuditEntryListing())
            case .bundlePart: .bundlePart([])
            case .waitingBox: .waitingBox(WaitingListing())
            case .bulkCode: .bulkCode(BulkCodeListing())
            case .listEnd: .listEnd(ListEnd())
            case .auditLines: .auditLines("")
            case .lookUp: .lookUp(DirectoryName())
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .done(var text):
            try coder.text("text", &text, limit: ControlLimits.textBytes)
            self = .done(text: text)
        case .failure(var kind, var what, var cure):
            try coder.word("kind", &kind)
            try coder.text("what", &what, limit: ControlLimits.textBytes)
            try coder.text("cure", &cure, limit: ControlLimits.textBytes)
            self = .failure(kind, what: what, cure: cure)
        case .status(var status):
            try status.code(&coder)
            self = .status(status)
        case .box(var box):
            try box.code(&coder)
            self = .box(box)
        case .joinCode(var number, var code):
            try coder.text("number", &number, limit: 6)
            try coder.secret(&code, limit: ControlLimits.messageBytes)
            self = .joinCode(number: number, code: code)
        case .enrolmentCode(var id, var code):
            try coder.bytes("id", &id, limit: SiteControlLimits.codeIDBytes)
            try coder.secret(&code, limit: ControlLimits.messageBytes)
            self = .enrolmentCode(id: id, code: code)
        case .enrolment(var enrolment):
            try enrolment.code(&coder)
            self = .enrolment(enrolment)
        case .waitingBox, .bulkCode, .listEnd, .auditLines: try codeLists(&coder)
        case .lookUp(var name):
            try name.code(&coder)
            self = .lookUp(name)
        case .bundlePart(var part):
            try coder.bytes("part", &part, limit: SiteControlLimits.bundlePartBytes)
            self = .bundlePart(part)
        case .phone(var phone):
            try phone.code(&coder)
            self = .phone(phone)
        case .grant(var text):
            try coder.text("text", &text, limit: SiteControlLimits.grantTextBytes)
            self = .grant(text: text)
        case .administrator(var administrator):
            try administrator.code(&coder)
            self = .administrator(administrator)
        case .proposal(var proposal):
            try proposal.code(&coder)
            self = .proposal(proposal)
        case .document(var text):
            try coder.text("text", &text, limit: SiteControlLimits.documentTextBytes)
            self = .document(text: text)
        case .issuers(var request, var file, var areNew):
            try coder.text("request", &request, limit: SiteControlLimits.documentTextBytes)
            try coder.text("file", &file, limit: SiteControlLimits.nameBytes)
            try coder.flag("new", &areNew)
            self = .issuers(request: request, file: file, areNew: areNew)
        case .alarm(var text):
            try coder.text("text", &text, limit: ControlLimits.textBytes)
            self = .alarm(text: text)
        case .passkey(var passkey):
            try passkey.code(&coder)
            self = .passkey(passkey)
        case .link(var link):
            try coder.secret(&link, limit: PasskeyLimits.linkBytes)
            self = .link(link)
        case .auditEntry(var entry):
            try entry.code(&coder)
            self = .auditEntry(entry)
        }
    }

    private mutating func codeLists(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .waitingBox(var box):
            try box.code(&coder)
            self = .waitingBox(box)
        case .bulkCode(var code):
            try code.code(&coder)
            self = .bulkCode(code)
        case .auditLines(var text):
            try coder.text("text", &text, limit: SiteControlLimits.auditLinesBytes)
            self = .auditLines(text)
        case .listEnd(var end):
            try end.code(&coder)
            self = .listEnd(end)
        default: break
        }
    }
}
