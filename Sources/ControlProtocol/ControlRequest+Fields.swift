import Names
import Wire

extension ControlRequest: ControlMessage {
    package enum Kind: String, FieldWord, CaseIterable {
        case status, identity, enrol
        case enrolSelf = "enrol-self"
        case confirmEnrolment = "confirm-enrolment"
        case revoke
        case revokeUser = "revoke-user"
        case revokeWeb = "revoke-web"
        case devices
        case samePerson = "same-person"
        case account, audit
        case verifyAudit = "verify-audit"
        case auditSegments = "audit-segments"
        case pruneAudit = "prune-audit"
        case wipe, doctor
        case testLogin = "test-login"
        case session, sessions
        case sessionHelper = "session-helper"
        case lockRefused = "lock-refused"
        case greet
        case claimTap = "claim-tap"
        case explainPresence = "explain-presence"
        case joinSite = "join-site"
        case leaveSite = "leave-site"
        case site
        case importSite = "import-site"
    }

    package var kind: Kind {
        switch self {
        case .status: .status
        case .identity: .identity
        case .enrol: .enrol
        case .enrolSelf: .enrolSelf
        case .confirmEnrolment: .confirmEnrolment
        case .revoke: .revoke
        case .revokeUser: .revokeUser
        case .revokeWeb: .revokeWeb
        case .devices: .devices
        case .samePerson: .samePerson
        case .account: .account
        case .audit: .audit
        case .verifyAudit: .verifyAudit
        case .auditSegments: .auditSegments
        case .pruneAudit: .pruneAudit
        case .wipe: .wipe
        case .doctor: .doctor
        case .testLogin: .testLogin
        case .session: .session
        case .sessions: .sessions
        case .sessionHelper: .sessionHelper
        case .lockRefused: .lockRefused
        case .greet: .greet
        case .claimTap: .claimTap
        case .explainPresence: .explainPresence
        case .joinSite: .joinSite
        case .leaveSite: .leaveSite
        case .site: .site
        case .importSite: .importSite
        }
    }

    package init(blank kind: Kind) {
        self =
            switch kind {
            case .status: .status
            case .identity: .identity
            case .enrol: .enrol(EnrolmentWish(user: []))
            case .enrolSelf: .enrolSelf(replacing: [])
            case .confirmEnrolment: .confirmEnrolment(digits: "", accept: false)
            case .revoke: .revoke(device: [])
            case .revokeUser: .revokeUser([])
            case .revokeWeb: .revokeWeb
            case .devices: .devices
            case .samePerson: .samePerson(user: [])
            case .account: .account(user: [], renaming: false)
            case .audit: .audit(after: 0, limit: 0)
            case .verifyAudit: .verifyAudit
            case .auditSegments: .auditSegments(after: 0, sealing: false)
            case .pruneAudit: .pruneAudit(through: 0)
            case .wipe: .wipe(.all)
            case .doctor: .doctor
            case .testLogin: .testLogin(user: nil, waitSeconds: 0)
            case .session: .session(.lock, .own)
            case .sessions: .sessions
            case .sessionHelper: .sessionHelper(session: [])
            case .lockRefused: .lockRefused(reason: "")
            case .greet: .greet(terminal: [])
            case .claimTap: .claimTap(user: [])
            case .explainPresence: .explainPresence
            case .joinSite: .joinSite(code: 0..<0)
            case .leaveSite: .leaveSite
            case .site: .site
            case .importSite: .importSite(part: [], isLast: false)
            }
    }

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .status, .identity, .devices, .verifyAudit, .doctor, .sessions, .explainPresence, .revokeWeb, .leaveSite,
            .site:
            break
        case .joinSite(var code):
            try coder.secret(&code, limit: ControlLimits.textBytes)
            self = .joinSite(code: code)
        case .importSite(var part, var isLast):
            try coder.bytes("part", &part, limit: ControlLimits.bundlePartBytes)
            try coder.flag("last", &isLast)
            self = .importSite(part: part, isLast: isLast)
        case .enrol(var wish):
            try wish.code(&coder)
            self = .enrol(wish)
        case .enrolSelf(var replacing):
            try coder.bytes("replacing", &replacing, limit: ControlLimits.labelBytes)
            self = .enrolSelf(replacing: replacing)
        case .confirmEnrolment(var digits, var accept):
            try coder.text("digits", &digits, limit: ControlLimits.labelBytes)
            try coder.flag("accept", &accept)
            self = .confirmEnrolment(digits: digits, accept: accept)
        case .testLogin(var user, var waitSeconds):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            try coder.number("wait-seconds", &waitSeconds, limit: ControlLimits.waitSeconds)
            self = .testLogin(user: user, waitSeconds: waitSeconds)
        case .session(var action, var selection):
            try coder.word("action", &action)
            try selection.code(&coder)
            self = .session(action, selection)
        case .wipe(var selection):
            try selection.code(&coder)
            self = .wipe(selection)
        case .revoke(var device):
            try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
            self = .revoke(device: device)
        case .account(var user, var renaming):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            try coder.flag("renaming", &renaming)
            self = .account(user: user, renaming: renaming)
        case .revokeUser(var user):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            self = .revokeUser(user)
        case .samePerson(var user):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            self = .samePerson(user: user)
        case .sessionHelper(var session):
            try coder.bytes("session", &session, limit: ControlLimits.labelBytes)
            self = .sessionHelper(session: session)
        case .lockRefused(var reason):
            try coder.text("reason", &reason, limit: ControlLimits.reasonBytes)
            self = .lockRefused(reason: reason)
        case .greet(var terminal):
            try coder.bytes("terminal", &terminal, limit: ControlLimits.terminalBytes)
            self = .greet(terminal: terminal)
        case .claimTap(var user):
            try coder.bytes("user", &user, limit: UserName.byteLimit)
            self = .claimTap(user: user)
        case .audit, .auditSegments, .pruneAudit: try codeAudit(&coder)
        }
    }

    private mutating func codeAudit(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .audit(var after, var limit):
            try coder.number("after", &after)
            try coder.number("limit", &limit)
            self = .audit(after: after, limit: limit)
        case .auditSegments(var after, var sealing):
            try coder.number("after", &after)
            try coder.flag("sealing", &sealing)
            self = .auditSegments(after: after, sealing: sealing)
        case .pruneAudit(var number):
            try coder.number("through", &number)
            self = .pruneAudit(through: number)
        default: break
        }
    }
}

extension SessionSelection {
    private enum Which: String, FieldWord {
        case own, session, user, all
    }

    fileprivate mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var (which, session, user): (Which, [UInt8]?, [UInt8]?) =
            switch self {
            case .own: (.own, nil, nil)
            case .session(let id): (.session, id, nil)
            case .user(let name): (.user, nil, name)
            case .all: (.all, nil, nil)
            }
        try coder.word("which", &which)
        try coder.bytes("session", &session, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        switch (which, session, user) {
        case (.own, nil, nil): self = .own
        case (.session, .some(let id), nil): self = .session(id)
        case (.user, nil, .some(let name)): self = .user(name)
        case (.all, nil, nil): self = .all
        default: throw .invalid(field: "which", .unknown)
        }
    }
}

extension WipeSelection {
    private enum Which: String, FieldWord {
        case device, user, all
    }

    fileprivate mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        var (which, device, user): (Which, [UInt8]?, [UInt8]?) =
            switch self {
            case .device(let id): (.device, id, nil)
            case .user(let name): (.user, nil, name)
            case .all: (.all, nil, nil)
            }
        try coder.word("which", &which)
        try coder.bytes("device", &device, limit: ControlLimits.labelBytes)
        try coder.bytes("user", &user, limit: UserName.byteLimit)
        switch (which, device, user) {
        case (.device, .some(let id), nil): self = .device(id)
        case (.user, nil, .some(let name)): self = .user(name)
        case (.all, nil, nil): self = .all
        default: throw .invalid(field: "which", .unknown)
        }
    }
}
