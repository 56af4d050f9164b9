import Names

extension FailureKind: FieldWord {}

extension ControlReply: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case done, failure, status, identity
        case webPage = "web-page"
        case enrolmentCode = "enrolment-code"
        case enrolmentContact = "enrolment-contact"
        case enrolmentLost = "enrolment-lost"
        case enrolmentDigits = "enrolment-digits"
        case enrolled, device, account
        case auditEntry = "audit-entry"
        case auditSegment = "audit-segment"
        case auditSigner = "audit-signer"
        case finding, session, notice, presence
        case testStage = "test-stage"
        case joinStage = "join-stage"
        case site
        case siteImported = "site-imported"
        case greeter
        case tapClaimed = "tap-claimed"
    }

    package var kind: Kind {
        switch self {
        case .done: .done
        case .failure: .failure
        case .status: .status
        case .identity: .identity
        case .webPage: .webPage
        case .enrolmentCode: .enrolmentCode
        case .enrolmentContact: .enrolmentContact
        case .enrolmentLost: .enrolmentLost
        case .enrolmentDigits: .enrolmentDigits
        case .enrolled: .enrolled
        case .device: .device
        case .account: .account
        case .auditEntry: .auditEntry
        case .auditSegment: .auditSegment
        case .auditSigner: .auditSigner
        case .finding: .finding
        case .session: .session
        case .notice: .notice
        case .presence: .presence
        case .testStage: .testStage
        case .joinStage: .joinStage
        case .site: .site
        case .siteImported: .siteImported
        case .greeter: .greeter
        case .tapClaimed: .tapClaimed
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .done: .done(text: "")
            case .failure: .failure(.fault, what: "", cure: "")
            case .status: .status(AgentStatus())
            case .identity: .identity(boxID: "", authorityKeyID: [], serial: 0)
            case .webPage: .webPage(address: "")
            case .enrolmentCode: .enrolmentCode(uri: 0..<0, validSeconds: 0)
            case .enrolmentContact: .enrolmentContact
            case .enrolmentLost: .enrolmentLost
            case .enrolmentDigits: .enrolmentDigits(digits: "", label: [])
            case .enrolled: .enrolled(device: [], user: [])
            case .device: .device(DeviceListing())
            case .account: .account(user: [], isAnswered: false)
            case .auditEntry: .auditEntry(AuditListing())
            case .auditSegment: .auditSegment(AuditSegmentListing())
            case .auditSigner: .auditSigner(authority: [], box: [])
            case .finding: .finding(Finding())
            case .session: .session(SessionListing())
            case .notice: .notice(text: "")
            case .presence: .presence(PresenceListing())
            case .testStage: .testStage(text: "")
            case .joinStage: .joinStage(text: "")
            case .site: .site(SiteListing())
            case .siteImported: .siteImported(SiteImportListing())
            case .greeter: .greeter(GreeterState())
            case .tapClaimed: .tapClaimed(false)
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
        case .identity(var boxID, var authorityKeyID, var serial):
            try coder.text("box-id", &boxID, limit: ControlLimits.labelBytes)
            try coder.bytes("authority-key-id", &authorityKeyID, limit: ControlLimits.labelBytes)
            try coder.number("serial", &serial)
            self = .identity(boxID: boxID, authorityKeyID: authorityKeyID, serial: serial)
        case .auditSigner(var authority, var box):
            try coder.bytes("authority", &authority, limit: ControlLimits.labelBytes)
            try coder.bytes("box", &box, limit: ControlLimits.labelBytes)
            self = .auditSigner(authority: authority, box: box)
        case .notice(var text):
            try coder.text("text", &text, limit: ControlLimits.textBytes)
            self = .notice(text: text)
        case .testStage(var text):
            try coder.text("text", &text, limit: ControlLimits.textBytes)
            self = .testStage(text: text)
        case .joinStage(var text):
            try coder.text("text", &text, limit: ControlLimits.textBytes)
            self = .joinStage(text: text)
        case .account(var user, var isAnswered):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            try coder.flag("answered", &isAnswered)
            self = .account(user: user, isAnswered: isAnswered)
        case .tapClaimed(var isClaimed):
            try coder.flag("claimed", &isClaimed)
            self = .tapClaimed(isClaimed)
        case .webPage, .enrolmentCode, .enrolmentContact, .enrolmentLost, .enrolmentDigits, .enrolled:
            try codeEnrolment(&coder)
        case .status, .device, .auditEntry, .auditSegment, .finding, .session, .presence, .greeter, .site,
            .siteImported:
            try codeRecord(&coder)
        }
    }

    private mutating func codeEnrolment(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .webPage(var address):
            try coder.text("address", &address, limit: ControlLimits.textBytes)
            self = .webPage(address: address)
        case .enrolmentCode(var uri, var validSeconds):
            try coder.secret(&uri, limit: ControlLimits.textBytes)
            try coder.number("valid-seconds", &validSeconds)
            self = .enrolmentCode(uri: uri, validSeconds: validSeconds)
        case .enrolmentDigits(var digits, var label):
            try coder.text("digits", &digits, limit: ControlLimits.labelBytes)
            try coder.bytes("label", &label, limit: ControlLimits.textBytes)
            self = .enrolmentDigits(digits: digits, label: label)
        case .enrolled(var device, var user):
            try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            self = .enrolled(device: device, user: user)
        default: break
        }
    }

    /// Codes a reply that is one record. Its fields are those of the record.
    private mutating func codeRecord(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .status(var status):
            try status.code(&coder)
            self = .status(status)
        case .device(var device):
            try device.code(&coder)
            self = .device(device)
        case .auditEntry(var entry):
            try entry.code(&coder)
            self = .auditEntry(entry)
        case .auditSegment(var segment):
            try segment.code(&coder)
            self = .auditSegment(segment)
        case .finding(var finding):
            try finding.code(&coder)
            self = .finding(finding)
        case .session(var session):
            try session.code(&coder)
            self = .session(session)
        case .presence(var phone):
            try phone.code(&coder)
            self = .presence(phone)
        case .greeter(var state):
            try state.code(&coder)
            self = .greeter(state)
        case .siteImported(var listing):
            try listing.code(&coder)
            self = .siteImported(listing)
        case .site(var listing):
            try listing.code(&coder)
            self = .site(listing)
        default: break
        }
    }
}
