import Names

/// What an enrolled phone keeps of its enrolment, besides the keys it has from the code.
public struct EnrolResult: Equatable, Sendable {
    /// `DeviceID.byteCount` bytes: what the administrator's commands call the device.
    public var deviceID: [UInt8]
    /// The user whose login this phone is, 1…`UserName.byteLimit` bytes.
    public var user: [UInt8]
    public var credentialMode: CredentialMode
    /// ASCII digits, as many as `MessageLimits.boxIDDigits` allows.
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

/// How far a login has come.
public enum LoginProgress: UInt8, CaseIterable, Sendable {
    /// No program asks for a password yet; the box keeps the credential for a short time.
    case waitingForPrompt = 0
    /// A program has it; the result is to come.
    case delivered = 1
    /// The password modules accepted it. The person is not logged in: a second factor, the account or the session may still refuse.
    case passwordAccepted = 2
    /// The program asks for a new password, on the box's screen, before it goes on.
    case passwordMustChange = 3
}

/// What a box says to a phone.
public indirect enum BoxMessage: Equatable, Sendable {
    /// The answer to hello: the highest version in common, and what the box can do.
    case hello(RequestID, version: UInt8, capabilities: Capabilities)
    /// The answer to enrol, in place of a result: the box's nonce, `MessageLimits.enrolmentBytes` bytes.
    case enrolNonce(RequestID, [UInt8])
    /// The answer to reveal, once the administrator has confirmed, and to enrolment.
    case enrolled(RequestID, EnrolResult)
    /// After reveal: the administrator has to confirm; both compare six digits meanwhile.
    case enrolPending(RequestID)
    case progress(RequestID, LoginProgress)
    /// Ends a request.
    case result(RequestID, ResultCode, ResultDetail)
    /// Pushed when it changes, and before the result of `status`.
    case state(BoxState)
    /// Pushed: this phone is no longer trusted here. The box closes the channel next.
    case revoked
    /// The answer to ping, in place of a result: its bytes.
    case pong(RequestID, [UInt8])
    /// Pushed to a phone that names `Capabilities.presence`, when it has come near or gone.
    case offer(Offer)
    /// Pushed to a phone that names `Capabilities.logoutWarnings`: one of its sessions ends soon; nil: none does any more.
    case logoutWarning(LogoutWarning?)
    /// Pushed to a phone that names `Capabilities.elevation`: a program asks for the user's password.
    case elevation(ElevationPrompt)
    /// Pushed: that one was answered, or is over.
    case elevationOver(ElevationID)
    /// Pushed to a phone that names `Capabilities.sessionEnds`: a session of this phone's is over; ahead of the state that says so.
    case sessionEnded(SessionEnd)
    /// Pushed ahead of `revokedBySite`: the revocation, `MessageLimits.siteEntryBytes` bytes, signed by the phone's site.
    case siteEntry([UInt8])
    /// Pushed to a phone that names `Capabilities.siteGrants`: its grant, issued anew, in place of the one it has.
    case siteGrant([UInt8])
    /// Ahead of the result of `PhoneRequest.siteNews`: something that the phone's site has signed, `MessageLimits.siteNewsBytes` bytes.
    case siteNews(SiteNewsKind, [UInt8])
    /// Pushed: a message of the box's site for this phone, as the box was given it, 1 to `MessageLimits.carriedBytes` bytes.
    case carried([UInt8])
    /// A site's own word in a channel that boxes carry: its document, ahead of `siteEnrolled`.
    case siteDocument(RequestID, [UInt8])
    /// The same: the phone is one of the site's, by this grant.
    case siteEnrolled(RequestID, [UInt8])
}

/// What a box tells of a phone's site.
public enum SiteNewsKind: UInt8, CaseIterable, Sendable {
    case document = 0
    case head = 1
    /// Revocations of boxes, one behind the other.
    case entries = 2
}

extension BoxMessage {
    /// The request that it answers, and whether it is the last word on it; nil: nobody asked for it.
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
