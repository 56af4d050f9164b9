import ControlProtocol

/// What `boxsited` answers. Listings send one reply an item; `done` or `failure` ends.
public enum SiteReply: Equatable, Sendable {
    case done(text: String)
    /// What is wrong, and what to do next.
    case failure(FailureKind, what: String, cure: String)
    case status(SiteStatus)
    case box(BoxListing)
    /// The box's number, and its join code: the code carries a one-time secret, its bytes stay in the receive buffer.
    case joinCode(number: String, code: Range<Int>)
    case phone(PhoneListing)
    /// The text that a phone takes; not secret.
    case grant(text: String)
    case administrator(AdministratorListing)
    /// One that waits: in a list, or what became of a request that needs a second administrator.
    case proposal(ProposalListing)
    case auditEntry(AuditEntryListing)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> SiteReply { try read(input) }

    /// Encodes all but a join code, which has `encodeJoinCode`.
    package func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        if case .joinCode = self { throw .unknownMessage }
        return try write(secret: RawSpan(), to: &output)
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
        case done, failure, status, box, phone, grant, administrator, proposal
        case auditEntry = "audit-entry"
        case joinCode = "join-code"
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
        case .auditEntry: .auditEntry
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
            case .auditEntry: .auditEntry(AuditEntryListing())
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
        case .auditEntry(var entry):
            try entry.code(&coder)
            self = .auditEntry(entry)
        }
    }
}
