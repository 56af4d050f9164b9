import Secrets

/// The phone's own data at its enrolment. The administrator sets the user and the credential's mode.
public struct EnrolRequest: Equatable, Sendable {
    /// The device's name for people, as `LabelRules` allow; may be empty.
    public var label: [UInt8]
    /// The commitment to the nonce that `reveal` will carry, `MessageLimits.enrolmentBytes` bytes.
    public var commitment: [UInt8]

    public init(label: [UInt8], commitment: [UInt8]) {
        self.label = label
        self.commitment = commitment
    }

    var isAllowed: Bool { LabelRules.isAllowed(label) && commitment.count == MessageLimits.enrolmentBytes }
}

extension PhoneRequest {
    /// Returns the bytes that the box carries to the phone's site. Returns nil if the box answers the request itself.
    public var sealedForSite: [UInt8]? {
        switch self {
        case .siteLogin(let sealed), .siteElevate(_, let sealed), .siteAsk(let sealed): sealed
        default: nil
        }
    }
}

/// A request from a phone to a box. No request names a user: the device's record has the user.
public indirect enum PhoneRequest: Sendable {
    /// Opens every channel. `versions` has 1…`MessageLimits.offeredVersions` versions, ascending. Only a phone of a
    /// site sends `grant`, to a box whose identity shows that site.
    case hello(versions: [UInt8], capabilities: Capabilities, grant: ShownGrant? = nil)
    /// The first request after `hello` on an enrolment channel, sent once.
    case enrol(EnrolRequest)
    /// Follows the box's nonce, and reveals the phone's nonce that `EnrolRequest.commitment` fixed.
    case reveal(nonce: [UInt8])
    /// Asks on an ordinary channel for the result of this phone's enrolment, if the phone missed it.
    case enrolment
    /// A message of 1 to `MessageLimits.carriedBytes` bytes that the box passes to its site unchanged. Not answered.
    /// Allowed only if both hellos set `Capabilities.siteEnrolment`.
    case carry([UInt8])
    /// Logs in with this credential, as `CredentialRules` allow.
    case login(HeldSecret)
    /// Logs in with the box-held credential. `PINRules` apply to the PIN; the device secret has 32 bytes.
    case loginWithPIN(pin: HeldSecret, deviceSecret: HeldSecret)
    /// Stores or replaces the credential on the box, with a new PIN, and restores all attempts.
    case storeCredential(pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret)
    /// Changes the PIN of the box-held credential. A wrong old PIN spends an attempt.
    case changePIN(old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret)
    /// Cancels the waiting login.
    case cancelLogin
    case lock
    case unlock
    case logout
    /// Asks for the state, which comes as `BoxMessage.state` before the result.
    case status
    /// Sets the seconds of absence until automatic logout, within the administrator's bounds; 0 is off.
    case setAutoLogout(seconds: UInt32)
    /// Asks for the same bytes, at most `MessageLimits.pingBytes`, to measure the round trip. Not secret.
    case ping([UInt8])
    /// Reports the box's signal, within `SignalRules.dBm`, or nil if the phone cannot measure it. At most once a
    /// second, if the box set `Capabilities.presence`. Not answered.
    case reportSignal(dBm: Int?)
    /// Sets the thresholds for this phone's reports. Nil restores the administrator's thresholds.
    case setThresholds(SignalThresholds?)
    /// Postpones the automatic logout that the box warned of. Sent only if the box set `Capabilities.logoutWarnings`.
    case extend
    /// Allows the request of `BoxMessage.elevation`, with the credential.
    case elevate(ElevationID, HeldSecret)
    /// Allows the request of `BoxMessage.elevation`, with the box-held credential.
    case elevateWithPIN(ElevationID, pin: HeldSecret, deviceSecret: HeldSecret)
    /// Declines the request of `BoxMessage.elevation`.
    case declineElevation(ElevationID)
    /// Lists the site data that the phone has, as a `SiteNewsQuestion`. The box answers with the data that the phone
    /// lacks. Sent only if the box set `Capabilities.siteNews`.
    case siteNews([UInt8])
    /// Logs in with the site-held credential. The box carries these sealed bytes to the phone's site.
    case siteLogin([UInt8])
    /// Allows the request of `BoxMessage.elevation`, with the site-held credential in sealed bytes.
    case siteElevate(ElevationID, [UInt8])
    /// Any other sealed request about the site-held credential: to store it, to change its PIN, or to count its tries.
    case siteAsk([UInt8])

    /// True if this is the hello of a phone that the box need not know, whose next messages are for the box's site.
    public var wantsCarry: Bool {
        if case .hello(_, let capabilities, nil) = self { capabilities.contains(.siteEnrolment) } else { false }
    }
}
