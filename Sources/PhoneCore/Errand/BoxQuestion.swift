import PhoneMessages
import Secrets

/// One request to a box, on its own channel.
public indirect enum BoxQuestion: Sendable {
    case status
    case lock
    case unlock
    case logout
    case setAutoLogout(seconds: UInt32)
    case setThresholds(SignalThresholds?)
    /// Logs in with this password, which a person entered or the phone's vault holds. Sent once.
    case login(HeldSecret)
    /// Logs in with the box-held or site-held credential, by this PIN. Sent once.
    case loginWithPIN(HeldSecret)
    /// Stores or replaces the credential at the box or its site. Sent once.
    case storeCredential(HeldSecret, pin: HeldSecret)
    /// Changes the PIN of the box-held or site-held credential. Sent once.
    case changePIN(old: HeldSecret, new: HeldSecret)
    /// Asks for the tries left on the site-held credential. The box's state reports the tries.
    case tries

    /// The kind of answer to wait for.
    var kind: RequestKind {
        switch self {
        case .lock, .unlock, .logout: .session
        case .login, .loginWithPIN: .login
        case .status, .setAutoLogout, .setThresholds, .storeCredential, .changePIN, .tries: .simple
        }
    }

    /// True if the request may be sent again after its answer was lost, because it only reads, or sets the same value.
    /// A request that spends a try or hands over a password is never repeated.
    var isRepeatable: Bool {
        switch self {
        case .status, .lock, .unlock, .logout, .setAutoLogout, .setThresholds, .tries: true
        case .login, .loginWithPIN, .storeCredential, .changePIN: false
        }
    }

    /// True if the request replaces the password that the box or its site keeps.
    var replacesPassword: Bool {
        if case .storeCredential = self { true } else { false }
    }

    /// The request to send, if it needs nothing from the vault.
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

    /// Returns the request that carries sealed bytes to the site that holds the credential.
    func request(carrying sealed: [UInt8]) -> PhoneRequest {
        if case .loginWithPIN = self { .siteLogin(sealed) } else { .siteAsk(sealed) }
    }

    /// Returns the request with the device secret for the box.
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
