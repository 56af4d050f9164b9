import Names

/// The data of an enrolment that the phone keeps, besides the keys from the code.
public struct EnrolResult: Equatable, Sendable {
    /// `DeviceID.byteCount` bytes. The administrator's commands name the device by this id.
    public var deviceID: [UInt8]
    /// The user whom this phone logs in, 1…`UserName.byteLimit` bytes.
    public var user: [UInt8]
    public var credentialMode: CredentialMode
    /// ASCII digits; `MessageLimits.boxIDDigits` bounds their number.
    public var boxID: [UInt8]

    public init(deviceID: [UInt8], user: [UInt8], credentialMode: CredentialMode, boxID: [UInt8]) {
        self.deviceID = deviceID
        self.user = user
        self.credentialMode = credentialMode
        self.boxID = boxID
    }

    var isWellFormed: Bool {
        deviceID.count == DeviceID.byteCount && UserName.isName(user) && credentialMode != .siteHeld
            && MessageLimits.boxIDDigits.contains(boxID.count) && boxID.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }
}

/// The stages of a login.
public enum LoginProgress: UInt8, CaseIterable, Sendable {
    /// No program asks for a password yet. The box holds the credential for a short time.
    case waitingForPrompt = 0
    /// A program has the credential. The result follows.
    case delivered = 1
    /// The modules accepted the password. A second factor, the account or the session may still refuse the login.
    case passwordAccepted = 2
    /// The program asks for a new password on the box's screen before it continues.
    case passwordMustChange = 3
}

/// A message from a box to a phone.
public indirect enum BoxMessage: Equatable, Sendable {
    /// Answers `hello`, with the highest version in common and the box's capabilities.
    case hello(RequestID, version: UInt8, capabilities: Capabilities)
    /// Answers `enrol` in place of a result, with the box's nonce of `MessageLimits.enrolmentBytes` bytes.
    case enrolNonce(RequestID, [UInt8])
    /// Answers `enrolment`, and `reveal` once the administrator has confirmed.
    case enrolled(RequestID, EnrolResult)
    /// Sent after `reveal`: the administrator must confirm. Meanwhile person and administrator compare six digits.
    case enrolPending(RequestID)
    case progress(RequestID, LoginProgress)
    /// Ends a request.
    case result(RequestID, ResultCode, ResultDetail)
    /// Pushed when the state changes, and before the result of `status`.
    case state(BoxState)
    /// Pushed: the box no longer trusts this phone. The box closes the channel next.
    case revoked
    /// Answers `ping` in place of a result, with the same bytes.
    case pong(RequestID, [UInt8])
    /// Pushed when the phone has come near or gone away, if it set `Capabilities.presence`.
    case offer(Offer)
    /// Pushed if the phone set `Capabilities.logoutWarnings`: one of its sessions ends soon. Nil withdraws the warning.
    case logoutWarning(LogoutWarning?)
    /// Pushed if the phone set `Capabilities.elevation`: a program asks for the user's password.
    case elevation(ElevationPrompt)
    /// Pushed: this elevation request was answered or has ended.
    case elevationOver(ElevationID)
    /// Pushed before the new state, if the phone set `Capabilities.sessionEnds`: a session of this phone has ended.
    case sessionEnded(SessionEnd)
    /// Pushed before `revokedBySite`: the site's signed revocation, `MessageLimits.siteEntryBytes` bytes.
    case siteEntry([UInt8])
    /// Pushed if the phone set `Capabilities.siteGrants`: a reissued grant that replaces the current one.
    case siteGrant([UInt8])
    /// Sent before the result of `PhoneRequest.siteNews`: a signed item of `MessageLimits.siteNewsBytes` bytes.
    case siteNews(SiteNewsKind, [UInt8])
    /// Pushed: an unchanged message from the box's site to this phone, 1 to `MessageLimits.carriedBytes` bytes.
    case carried([UInt8])
    /// Sent by a site in a channel that boxes carry: the site document, before `siteEnrolled`.
    case siteDocument(RequestID, [UInt8])
    /// Sent by a site in the same channel: this grant makes the phone one of the site's.
    case siteEnrolled(RequestID, [UInt8])
}

/// The kinds of site data that a box sends to a phone.
public enum SiteNewsKind: UInt8, CaseIterable, Sendable {
    case document = 0
    case head = 1
    /// Revocations of boxes and notices of enrolments, concatenated.
    case entries = 2
}

extension BoxMessage {
    /// The request that the message answers, and whether it is the last answer; nil for a pushed message.
    public var answers: (request: RequestID, isLast: Bool)? {
        switch self {
        case .hello(let id, _, _), .enrolNonce(let id, _), .enrolled(let id, _), .result(let id, _, _),
            .pong(let id, _), .siteEnrolled(let id, _):
            (id, true)
        case .enrolPending(let id), .progress(let id, _), .siteDocument(let id, _): (id, false)
        case .state, .revoked, .offer, .logoutWarning, .elevation, .elevationOver, .sessionEnded,
            .siteEntry, .siteGrant, .siteNews, .carried:
            nil
        }
    }
}
