import PhoneMessages
import Secrets
import VaultPort

/// What a person wants of their phone.
public enum Order: Sendable {
    /// Connects, asks one thing, closes.
    case request(BoxTarget, BoxQuestion)
    /// Logs in with what is stored, on the phone or on the box. `asksPerson`: the PIN is a person's to think of; how many tries
    /// are left is found out before.
    case login(BoxTarget, asksPerson: Bool)
    /// Opens what the phone keeps for a box, without a radio.
    case openCredential(KnownBox)
    /// Puts off the automatic logout that the box warns of.
    case extend(BoxTarget)
    /// `waiting` is the row of an earlier try at the same box, whose answer was lost.
    case enrol(EnrolmentCode, label: [UInt8], waiting: KnownBox?)
    /// Keeps a channel open and shows what the box tells, until `stop`.
    case watch(BoxTarget)
    /// Sends bytes there and back, so often.
    case ping(BoxTarget, size: Int, count: Int)
    /// Measures the signal so often, one sample each `every`.
    case measure(BoxTarget, count: Int, every: Duration)
    /// Listens, and asks those who may be one of these who they are.
    case scan([KnownBox])
    /// Which of several boxes with the same digits is meant.
    case choose(BoxTarget)
    /// Asks whoever shows these digits whether it is one of the boxes, with new ones.
    case find(digits: String, among: [KnownBox])
}

extension Order {
    public var isWatch: Bool {
        guard case .watch = self else { return false }
        return true
    }
}

/// One thing to ask of a box on a channel of its own.
public enum BoxQuestion: Sendable {
    case status
    case lock
    case unlock
    case logout
    case setAutoLogout(seconds: UInt32)
    case setThresholds(SignalThresholds?)
    /// With a password that was just entered. Sent once.
    case login(HeldSecret)
    /// With what the box holds. Sent once.
    case loginWithPIN(HeldSecret)
    /// Has the box keep a credential, in place of what it may hold. Sent once.
    case storeCredential(HeldSecret, pin: HeldSecret)
    /// Changes the PIN of what the box holds. Sent once.
    case changePIN(old: HeldSecret, new: HeldSecret)
    /// How many tries are left for what a site holds: with the state.
    case tries

    /// What waiting for its answer means.
    var kind: RequestKind {
        switch self {
        case .lock, .unlock, .logout: .session
        case .login, .loginWithPIN: .login
        case .status, .setAutoLogout, .setThresholds, .storeCredential, .changePIN, .tries: .simple
        }
    }

    /// Whether it may be sent a second time when its answer was lost: it asks, or sets what it set before. What spends a try or
    /// hands a password over is never repeated.
    var isRepeatable: Bool {
        switch self {
        case .status, .lock, .unlock, .logout, .setAutoLogout, .setThresholds, .tries: true
        case .login, .loginWithPIN, .storeCredential, .changePIN: false
        }
    }

    /// What goes out, where nothing of the vault is needed for it.
    var request: PhoneRequest? {
        switch self {
        case .status: .status
        case .lock: .lock
        case .unlock: .unlock
        case .logout: .logout
        case .setAutoLogout(let seconds): .setAutoLogout(seconds: seconds)
        case .setThresholds(let thresholds): .setThresholds(thresholds)
        case .login(let credential): .login(credential)
        case .loginWithPIN, .storeCredential, .changePIN, .tries: nil
        }
    }

    /// What goes out where a site holds the credential: a box carries what is sealed.
    func request(carrying sealed: [UInt8]) -> PhoneRequest {
        if case .loginWithPIN = self { .siteLogin(sealed) } else { .siteAsk(sealed) }
    }

    /// What goes out with the device secret of the box.
    func request(with deviceSecret: HeldSecret) -> PhoneRequest? {
        switch self {
        case .loginWithPIN(let pin): .loginWithPIN(pin: pin, deviceSecret: deviceSecret)
        case .storeCredential(let credential, let pin):
            .storeCredential(pin: pin, deviceSecret: deviceSecret, credential: credential)
        case .changePIN(let old, let new): .changePIN(old: old, new: new, deviceSecret: deviceSecret)
        default: request
        }
    }
}
