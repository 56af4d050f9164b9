import Secrets

/// What a phone says of itself when it is enrolled. The user and the credential's mode are the administrator's.
public struct EnrolRequest: Equatable, Sendable {
    /// A name for people to know the device by, as `LabelRules` allow; may be empty.
    public var label: [UInt8]
    /// To the nonce that it shows after the box's: `MessageLimits.enrolmentBytes` bytes.
    public var commitment: [UInt8]

    public init(label: [UInt8], commitment: [UInt8]) {
        self.label = label
        self.commitment = commitment
    }

    var isAllowed: Bool { LabelRules.isAllowed(label) && commitment.count == MessageLimits.enrolmentBytes }
}

extension PhoneRequest {
    /// What the box carries to the phone's site; nil: the box answers by itself.
    public var sealedForSite: [UInt8]? {
        switch self {
        case .siteLogin(let sealed), .siteElevate(_, let sealed), .siteAsk(let sealed): sealed
        default: nil
        }
    }
}

/// What a phone asks of a box. No request names a user: the user is the one of the device's record.
public indirect enum PhoneRequest: Sendable {
    /// Opens every channel. `versions` ascend, 1…`MessageLimits.offeredVersions` of them. `grant`: only from a phone of a site, to a
    /// box whose identity has shown that it is of that site.
    case hello(versions: [UInt8], capabilities: Capabilities, grant: ShownGrant? = nil)
    /// The first request of an enrolment channel, once.
    case enrol(EnrolRequest)
    /// The second, once the box has said its nonce: the phone's, which `EnrolRequest.commitment` holds it to.
    case reveal(nonce: [UInt8])
    /// On an ordinary channel: what this phone's enrolment came to, for one that did not hear it.
    case enrolment
    /// A message for the box's site, which the box hands on as it is, 1 to `MessageLimits.carriedBytes` bytes. Not answered; only on a
    /// channel whose hello asked for `Capabilities.siteEnrolment` and got it.
    case carry([UInt8])
    /// Log in with the credential given, as `CredentialRules` allow.
    case login(HeldSecret)
    /// Log in with the credential that the box holds. The PIN is as `PINRules` allow, the device secret 32 bytes.
    case loginWithPIN(pin: HeldSecret, deviceSecret: HeldSecret)
    /// Keep a credential on the box, in place of one that may be there, with a new PIN and all of its attempts.
    case storeCredential(pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret)
    /// Change the PIN of the credential that the box holds. A wrong old PIN is an attempt spent.
    case changePIN(old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret)
    /// Withdraw the login that waits.
    case cancelLogin
    case lock
    case unlock
    case logout
    /// Ask for the state, which comes as `BoxMessage.state` before the result.
    case status
    /// Log out by itself after so many seconds, within the administrator's bounds; 0 is off.
    case setAutoLogout(seconds: UInt32)
    /// Asks for the same bytes, at most `MessageLimits.pingBytes`, to measure the way there and back. Not secret.
    case ping([UInt8])
    /// How strongly the phone hears the box, within `SignalRules.dBm`; nil: it is there and cannot measure. At most once a
    /// second, only to a box whose hello names `Capabilities.presence`, and the one request that is not answered.
    case reportSignal(dBm: Int?)
    /// Thresholds for this phone's reports; nil: the administrator's again.
    case setThresholds(SignalThresholds?)
    /// Puts off the end that the box warned of. Only to a box whose hello names `Capabilities.logoutWarnings`.
    case extend
    /// The person allows what `BoxMessage.elevation` asked, with the credential.
    case elevate(ElevationID, HeldSecret)
    /// The same, with the credential that the box holds.
    case elevateWithPIN(ElevationID, pin: HeldSecret, deviceSecret: HeldSecret)
    /// The person does not allow it.
    case declineElevation(ElevationID)
    /// What the phone holds of its site, as `SiteNewsQuestion` has it: the box tells what the phone lacks. Only to a box whose hello names
    /// `Capabilities.siteNews`.
    case siteNews([UInt8])
    /// Log in with the credential that the phone's site holds: what the phone has sealed for the site, which the box carries there.
    case siteLogin([UInt8])
    /// The person allows what `BoxMessage.elevation` asked, in the same way.
    case siteElevate(ElevationID, [UInt8])
    /// Anything else that the phone asks of the site about that credential: storing one, another PIN, the tries that are left.
    case siteAsk([UInt8])

    /// A hello of nobody whom the box has to know: what follows is for the box's site.
    public var wantsCarry: Bool {
        if case .hello(_, let capabilities, nil) = self { capabilities.contains(.siteEnrolment) } else { false }
    }
}
