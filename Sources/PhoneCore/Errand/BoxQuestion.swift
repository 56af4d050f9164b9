import PhoneMessages
import Secrets

/// One thing to ask of a box on a channel of its own.
public indirect enum BoxQuestion: Sendable {
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

    /// Whether it puts another password in place of the one that the box, or its site, keeps.
    var replacesPassword: Bool {
        if case .storeCredential = self { true } else { false }
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
