import ControlProtocol
import Wire

/// A request of `boxsite` to `boxsited`: a map with named fields, like the requests of `boxagent`.
public enum SiteRequest: Equatable, Sendable {
    case status
    /// Adds a box. `number`: six digits, or nil for a free one. `groups`: 1 to 8, ascending. `hours`: the code's
    /// lifetime.
    case addBox(name: String, number: String?, groups: [UInt16], hours: UInt64)
    case boxes
    /// Removes a box from the site for good.
    case removeBox(name: String, reason: String)
    /// Serves the box with that number (six digits) again, because the second machine with its key was found.
    case unsuspendBox(number: String, reason: String)
    /// Resumes signing, because an administrator has checked the clocks.
    case acceptClock
    /// Allows the server to revoke the many users who are gone from the directory at once.
    case acceptDirectory(reason: String)
    /// Adds a phone of `user` by the text that the phone shows. `groups`: 1 to 8, ascending. Without a label, a known
    /// phone keeps its label. `siteHeld`: the site will hold the credential.
    case addPhone(user: String, code: String, label: String?, groups: [UInt16], siteHeld: Bool = false)
    /// Lists the phones of a user, or all.
    case phones(user: String?)
    /// Issues another grant for a phone, by the start of its ID.
    case grantPhone(phone: String)
    /// Revokes a phone for good, by the start of its ID.
    case revokePhone(phone: String, reason: String)
    /// Revokes all phones of a user, with `again` also of a user who is already revoked.
    case revokeUser(name: String, reason: String, again: Bool)
    /// Asks which administrator the client is.
    case whoAmI
    case administrators
    case addAdministrator(AdministratorWish, reason: String)
    case changeAdministrator(AdministratorWish, reason: String)
    case removeAdministrator(name: String, reason: String)
    /// Lists the orders that wait for a second administrator.
    case proposals
    /// Approves a proposal by its whole ID. With `alone`, root approves even its own proposal, with a reason.
    case approve(proposal: String, alone: Bool, reason: String)
    case reject(proposal: String, reason: String)
    /// Asks for the newest site document.
    case document
    /// Makes issuer keys that expire in this many days. They sign once a document lists them. `replace` discards keys
    /// that no document lists yet.
    case newIssuers(days: UInt64, replace: Bool)
    /// Publishes the text of a site document that the root has signed.
    case publish(document: String)
    /// Asks for a link by which an administrator sets up a passkey for the site page, once.
    case passkeyLink(administrator: String)
    case passkeys(administrator: String)
    /// Removes all passkeys of an administrator, and unused links.
    case removePasskeys(administrator: String)
    /// Makes a code that enrols a phone of `user` at any box, for this many minutes. Without a label, the phone names
    /// itself.
    case enrolPhone(user: String, label: String?, groups: [UInt16], minutes: UInt64, siteHeld: Bool = false)
    /// Asks for the progress of the enrolment with that code's ID. The answer may wait for another state than `after`.
    case enrolment(code: [UInt8], after: String)
    /// Tells whether the compared digits are the phone's.
    case confirmEnrolment(code: [UInt8], digits: String, accept: Bool)
    /// Cancels a code with which no phone was enrolled.
    case cancelEnrolment(code: [UInt8])
    /// Asks for a page of chosen entries of the audit table.
    case audit(AuditWish)
    /// Asks whether the audit table is intact.
    case checkAudit
    /// Asks for the lines of the audit table's export after that number. `done` has the next such number, or nothing.
    case exportAudit(after: UInt64)
    /// Asks for the site's signed data, with certificates of one box, of one group, or of all boxes.
    case bundle(box: String?, group: UInt64?)
    /// Manages codes with which many boxes join.
    case bulk(BulkWish)
    /// Asks for a part of a long list, with its `ListEnd`.
    case list(ListWish)

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> SiteRequest { try read(input) }

    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

/// Bounds for the messages between administrators and a server.
public enum SiteControlLimits {
    /// The longest life of a join code, in hours: a week.
    public static let codeHours: UInt64 = 168
    public static let nameBytes = 64
    /// The longest life of an enrolment code, in minutes.
    public static let enrolmentMinutes: UInt64 = 60
    static let codeIDBytes = 8
    /// A user's name, valid or not. The server reports a name that is too long.
    public static let userBytes = 1_024
    /// A phone's ID, or the start of one.
    public static let phoneBytes = 64
    /// The text that a phone shows to be added.
    public static let phoneCodeBytes = 256
    /// The text of a site document and a grant in base 32.
    static let grantTextBytes = 2_048
    /// The text of a site document, or of a request to list issuers.
    package static let documentTextBytes = 2_048
    /// The longest life of an issuer, in days.
    package static let issuerDays: UInt64 = 400
    /// The most rows in a part of a list.
    public static let listPage: UInt64 = 1_000
    /// The most rows of a list that are counted.
    public static let listCounted: UInt64 = 100_000
    public static let searchBytes = 256
    /// A place in a list: a number, and a name.
    static let placeBytes = 96
    /// The most phones in one listing.
    public static let phonesListed = 100_000
    /// The reason for an act.
    public static let reasonBytes = 200
    /// 2 bytes for each group.
    static let groupBytes = 16
    /// The most entries of the audit table in one answer.
    public static let auditPage: UInt64 = 1_000
    /// An entry and its names as lines of an export.
    static let auditLinesBytes = 6_000
    /// A name or a detail in the audit table.
    static let auditNameBytes = 255
    /// A message of a bundle with its length. The first part also has the bundle's first line.
    static let bundlePartBytes = 8_000
    /// A proposal's ID, valid or not.
    public static let proposalBytes = 16
}

extension SiteRequest: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case status
        case addBox = "add-box"
        case boxes
        case removeBox = "remove-box"
        case unsuspendBox = "unsuspend-box"
        case acceptClock = "accept-clock"
        case acceptDirectory = "accept-directory"
        case addPhone = "add-phone"
        case phones
        case grantPhone = "grant-phone"
        case revokePhone = "revoke-phone"
        case revokeUser = "revoke-user"
        case whoAmI = "who-am-i"
        case administrators
        case addAdministrator = "add-administrator"
        case changeAdministrator = "change-administrator"
        case removeAdministrator = "remove-administrator"
        case proposals
        case approve
        case reject
        case document
        case newIssuers = "new-issuers"
        case publish
        case passkeyLink = "passkey-link"
        case passkeys
        case removePasskeys = "remove-passkeys"
        case enrolPhone = "enrol-phone"
        case enrolment
        case confirmEnrolment = "confirm-enrolment"
        case cancelEnrolment = "cancel-enrolment"
        case audit
        case checkAudit = "check-audit"
        case exportAudit = "export-audit"
        case bundle
        case bulk
        case list
    }

    package var kind: Kind {
        switch self {
        case .status: .status
        case .addBox: .addBox
        case .boxes: .boxes
        case .removeBox: .removeBox
        case .unsuspendBox: .unsuspendBox
        case .acceptClock: .acceptClock
        case .acceptDirectory: .acceptDirectory
        case .addPhone: .addPhone
        case .phones: .phones
        case .grantPhone: .grantPhone
        case .revokePhone: .revokePhone
        case .revokeUser: .revokeUser
        case .whoAmI: .whoAmI
        case .administrators: .administrators
        case .addAdministrator: .addAdministrator
        case .changeAdministrator: .changeAdministrator
        case .removeAdministrator: .removeAdministrator
        case .proposals: .proposals
        case .approve: .approve
        case .reject: .reject
        case .document: .document
        case .newIssuers: .newIssuers
        case .publish: .publish
        case .passkeyLink: .passkeyLink
        case .passkeys: .passkeys
        case .removePasskeys: .removePasskeys
        case .enrolPhone: .enrolPhone
        case .enrolment: .enrolment
        case .confirmEnrolment: .confirmEnrolment
        case .cancelEnrolment: .cancelEnrolment
        case .audit: .audit
        case .checkAudit: .checkAudit
        case .exportAudit: .exportAudit
        case .bundle: .bundle
        case .bulk: .bulk
        case .list: .list
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .status: .status
            case .addBox: .addBox(name: "", number: nil, groups: [], hours: 0)
            case .boxes: .boxes
            case .removeBox: .removeBox(name: "", reason: "")
            case .unsuspendBox: .unsuspendBox(number: "", reason: "")
            case .acceptClock: .acceptClock
            case .acceptDirectory: .acceptDirectory(reason: "")
            case .addPhone: .addPhone(user: "", code: "", label: nil, groups: [])
            case .phones: .phones(user: nil)
            case .grantPhone: .grantPhone(phone: "")
            case .revokePhone: .revokePhone(phone: "", reason: "")
            case .revokeUser: .revokeUser(name: "", reason: "", again: false)
            case .whoAmI: .whoAmI
            case .administrators: .administrators
            case .addAdministrator: .addAdministrator(AdministratorWish(), reason: "")
            case .changeAdministrator: .changeAdministrator(AdministratorWish(), reason: "")
            case .removeAdministrator: .removeAdministrator(name: "", reason: "")
            case .proposals: .proposals
            case .approve: .approve(proposal: "", alone: false, reason: "")
            case .reject: .reject(proposal: "", reason: "")
            case .document: .document
            case .newIssuers: .newIssuers(days: 0, replace: false)
            case .publish: .publish(document: "")
            case .passkeyLink: .passkeyLink(administrator: "")
            case .passkeys: .passkeys(administrator: "")
            case .removePasskeys: .removePasskeys(administrator: "")
            case .enrolPhone: .enrolPhone(user: "", label: nil, groups: [], minutes: 0)
            case .enrolment: .enrolment(code: [], after: "")
            case .confirmEnrolment: .confirmEnrolment(code: [], digits: "", accept: false)
            case .cancelEnrolment: .cancelEnrolment(code: [])
            case .audit: .audit(AuditWish())
            case .checkAudit: .checkAudit
            case .exportAudit: .exportAudit(after: 0)
            case .bundle: .bundle(box: nil, group: nil)
            case .bulk: .bulk(BulkWish(.codes))
            case .list: .list(ListWish(.boxes))
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .status, .boxes, .acceptClock, .whoAmI, .administrators, .proposals, .document, .checkAudit: break
        case .newIssuers(var days, var replace):
            try coder.number("days", &days, limit: SiteControlLimits.issuerDays)
            try coder.flag("replace", &replace)
            self = .newIssuers(days: days, replace: replace)
        case .publish(var document):
            try coder.text("document", &document, limit: SiteControlLimits.documentTextBytes)
            self = .publish(document: document)
        case .addBox(var name, var number, let groups, var hours):
            var bytes = GroupField.bytes(groups)
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            try coder.text("number", &number, limit: 6)
            try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
            try coder.number("hours", &hours, limit: SiteControlLimits.codeHours)
            self = .addBox(name: name, number: number, groups: try GroupField.numbers(bytes), hours: hours)
        case .removeBox(var name, var reason):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .removeBox(name: name, reason: reason)
        case .bulk(var wish):
            try wish.code(&coder)
            self = .bulk(wish)
        case .list(var wish):
            try wish.code(&coder)
            self = .list(wish)
        case .unsuspendBox(var number, var reason):
            try coder.text("number", &number, limit: 6)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .unsuspendBox(number: number, reason: reason)
        case .bundle(var box, var group):
            try coder.text("box", &box, limit: SiteControlLimits.nameBytes)
            try coder.number("group", &group, limit: UInt64(UInt16.max))
            self = .bundle(box: box, group: group)
        case .addPhone, .phones, .grantPhone, .revokePhone, .revokeUser: try codePhones(&coder)
        case .addAdministrator, .changeAdministrator, .removeAdministrator, .approve, .reject, .passkeyLink,
            .passkeys, .removePasskeys, .audit, .exportAudit, .acceptDirectory:
            try codeAdministration(&coder)
        case .enrolPhone, .enrolment, .confirmEnrolment, .cancelEnrolment: try codeEnrolments(&coder)
        }
    }

    private mutating func codeEnrolments(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .enrolPhone(var user, var label, let groups, var minutes, var siteHeld):
            var bytes = GroupField.bytes(groups)
            try coder.text("user", &user, limit: SiteControlLimits.userBytes)
            try coder.text("label", &label, limit: ControlLimits.textBytes)
            try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
            try coder.number("minutes", &minutes, limit: SiteControlLimits.enrolmentMinutes)
            try coder.flag("site-held", &siteHeld)
            self = .enrolPhone(
                user: user, label: label, groups: try GroupField.numbers(bytes), minutes: minutes, siteHeld: siteHeld)
        case .enrolment(var code, var state):
            try coder.bytes("code", &code, limit: SiteControlLimits.codeIDBytes)
            try coder.text("after", &state, limit: 16)
            self = .enrolment(code: code, after: state)
        case .confirmEnrolment(var code, var digits, var accept):
            try coder.bytes("code", &code, limit: SiteControlLimits.codeIDBytes)
            try coder.text("digits", &digits, limit: 6)
            try coder.flag("accept", &accept)
            self = .confirmEnrolment(code: code, digits: digits, accept: accept)
        case .cancelEnrolment(var code):
            try coder.bytes("code", &code, limit: SiteControlLimits.codeIDBytes)
            self = .cancelEnrolment(code: code)
        default: break
        }
    }

    private mutating func codePhones(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .addPhone(var user, var code, var label, let groups, var siteHeld):
            var bytes = GroupField.bytes(groups)
            try coder.text("user", &user, limit: SiteControlLimits.userBytes)
            try coder.text("code", &code, limit: SiteControlLimits.phoneCodeBytes)
            try coder.text("label", &label, limit: ControlLimits.textBytes)
            try coder.bytes("groups", &bytes, limit: SiteControlLimits.groupBytes)
            try coder.flag("site-held", &siteHeld)
            self = .addPhone(
                user: user, code: code, label: label, groups: try GroupField.numbers(bytes), siteHeld: siteHeld)
        case .phones(var user):
            try coder.text("user", &user, limit: SiteControlLimits.userBytes)
            self = .phones(user: user)
        case .grantPhone(var phone):
            try coder.text("phone", &phone, limit: SiteControlLimits.phoneBytes)
            self = .grantPhone(phone: phone)
        case .revokePhone(var phone, var reason):
            try coder.text("phone", &phone, limit: SiteControlLimits.phoneBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .revokePhone(phone: phone, reason: reason)
        case .revokeUser(var name, var reason, var again):
            try coder.text("name", &name, limit: SiteControlLimits.userBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            try coder.flag("again", &again)
            self = .revokeUser(name: name, reason: reason, again: again)
        default: break
        }
    }
}

/// Groups as bytes, 2 for each.
enum GroupField {
    static func bytes(_ groups: [UInt16]) -> [UInt8] {
        groups.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    static func numbers(_ bytes: [UInt8]) throws(ControlMessageError) -> [UInt16] {
        guard bytes.count.isMultiple(of: 2) else { throw .invalid(field: "groups", .tooLarge) }
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
