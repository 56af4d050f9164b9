import PhoneMessages
import Secrets
import Wire

/// Returns a secret of these bytes.
func held(_ bytes: [UInt8]) -> HeldSecret { HeldSecret(SecretBytes(copying: bytes)) }
/// Returns a secret of this text's UTF-8.
func held(_ text: String) -> HeldSecret { held(Array(text.utf8)) }

extension RequestID {
    /// Returns an id for a test. 0 becomes 1.
    static func of(_ value: UInt32) -> RequestID { RequestID(rawValue: value) ?? .first }
}

extension ElevationID {
    /// Returns an id for a test, which must not be 0.
    static func of(_ value: UInt32) -> ElevationID {
        guard let id = ElevationID(rawValue: value) else { preconditionFailure("0 is no id") }
        return id
    }
}

/// Every kind of request, at its smallest and at its largest.
///
/// Tables of messages are computed, not stored. The leak checker does not follow a payload whose pointer carries its
/// case's number, and would report a table that lives to the end.
enum RequestSamples {
    static let deviceSecret = [UInt8](0..<32)
    private static let shortPIN = "1234"
    /// 32 scalars of four bytes, which is the maximum of a PIN in both units.
    private static let longPIN = String(repeating: "\u{1F511}", count: 32)
    private static let longCredential = [UInt8](repeating: 0xFF, count: 511)

    static var all: [PhoneRequest] {
        [
            .hello(versions: [1], capabilities: []),
            .hello(versions: [1, 2, 3, 4, 5, 6, 7, 255], capabilities: Capabilities(rawValue: .max)),
            .hello(versions: [2], capabilities: .siteGrants, grant: .hash([UInt8](repeating: 0, count: 16))),
            .hello(versions: [2], capabilities: .siteGrants, grant: .whole([UInt8](repeating: 0xFF, count: 151))),
            .hello(versions: [2], capabilities: .siteGrants, grant: .whole([UInt8](repeating: 1, count: 228))),
            .siteNews([UInt8](repeating: 0, count: 35)), .siteNews([UInt8](repeating: 0xFF, count: 835)),
            .enrol(EnrolRequest(label: [], commitment: deviceSecret)),
            .carry([0]), .carry([UInt8](repeating: 0xFF, count: MessageLimits.carriedBytes)),
            .enrol(EnrolRequest(label: Array("Ana's phone, caf\u{e9}".utf8), commitment: deviceSecret)),
            .enrol(
                EnrolRequest(
                    label: [UInt8](repeating: 0x61, count: MessageLimits.labelBytes),
                    commitment: [UInt8](repeating: 0xFF, count: 32))),
            .reveal(nonce: deviceSecret),
            .enrolment,
            .login(held("x")),
            .login(held(longCredential)),
            .loginWithPIN(pin: held(shortPIN), deviceSecret: held(deviceSecret)),
            .loginWithPIN(pin: held(longPIN), deviceSecret: held(deviceSecret)),
            .storeCredential(pin: held(shortPIN), deviceSecret: held(deviceSecret), credential: held("x")),
            .storeCredential(pin: held(longPIN), deviceSecret: held(deviceSecret), credential: held(longCredential)),
            .changePIN(old: held(shortPIN), new: held(longPIN), deviceSecret: held(deviceSecret)),
            .cancelLogin, .lock, .unlock, .logout, .status,
            .setAutoLogout(seconds: 0),
            .setAutoLogout(seconds: MessageLimits.durationSeconds),
            .ping([]),
            .ping([UInt8](0...255)),
            .reportSignal(dBm: nil), .reportSignal(dBm: 0), .reportSignal(dBm: -127),
            .setThresholds(nil),
            .setThresholds(SignalThresholds(nearDBm: -30, farDBm: -40)),
            .setThresholds(SignalThresholds(nearDBm: -90, farDBm: -100)),
            .extend,
            .elevate(.of(1), held("x")), .elevate(.of(.max), held(longCredential)),
            .elevateWithPIN(.of(24), pin: held(shortPIN), deviceSecret: held(deviceSecret)),
            .elevateWithPIN(.of(.max), pin: held(longPIN), deviceSecret: held(deviceSecret)),
            .declineElevation(.of(1)), .declineElevation(.of(.max)),
            .siteLogin([UInt8](repeating: 0xFF, count: 138)), .siteLogin([UInt8](repeating: 0, count: 651)),
            .siteElevate(.of(1), [UInt8](repeating: 1, count: 138)),
            .siteElevate(.of(.max), [UInt8](repeating: 0xFF, count: 651)),
            .siteAsk([UInt8](repeating: 0, count: 106)), .siteAsk([UInt8](repeating: 2, count: 170)),
            .siteAsk([UInt8](repeating: 0xFF, count: 651)),
        ]
    }

    static var messages: [PhoneRequestMessage] {
        zip(all, [1, 23, 24, 255, 256, 65_535, 65_536, .max].cycled(all.count)).map {
            PhoneRequestMessage(id: .of($1), request: $0)
        }
    }
}

/// Every kind of message from the box, at its smallest and at its largest, and every code.
enum BoxMessageSamples {
    private static let logout = AutoLogout(seconds: 0, minimumSeconds: 1, maximumSeconds: 1, mayBeOff: true)
    private static let longest = AutoLogout(
        seconds: MessageLimits.durationSeconds, minimumSeconds: 60, maximumSeconds: MessageLimits.durationSeconds,
        mayBeOff: false)

    static func detail(of code: ResultCode) -> ResultDetail {
        switch code {
        case .pinWrong: ResultDetail(attemptsLeft: 1)
        case .lockedOut: ResultDetail(attemptsLeft: 3, retryAfterSeconds: 900)
        default: .none
        }
    }

    static var all: [BoxMessage] {
        [
            .hello(.of(1), version: 1, capabilities: []),
            .hello(.of(.max), version: 255, capabilities: Capabilities(rawValue: .max)),
            .enrolNonce(.of(2), [UInt8](0..<32)),
            .enrolPending(.of(3)),
            .enrolled(
                .of(2),
                EnrolResult(
                    deviceID: [UInt8](0..<16), user: Array("ana".utf8), credentialMode: .phoneHeld,
                    boxID: Array("0007".utf8))),
            .enrolled(
                .of(24),
                EnrolResult(
                    deviceID: [UInt8](repeating: 0xFF, count: 16), user: [UInt8](repeating: 0xFE, count: 255),
                    credentialMode: .boxHeld, boxID: Array("999999".utf8))),
            .state(
                BoxState(
                    session: .none, user: nil, autoLogout: logout, logoutInSeconds: nil, credentialStale: false,
                    pinAttemptsLeft: nil)),
            .state(
                BoxState(
                    session: .active, user: Array("ana".utf8), autoLogout: longest, logoutInSeconds: 0,
                    credentialStale: true, pinAttemptsLeft: 0)),
            .state(
                BoxState(
                    session: .locked, user: [UInt8](repeating: 0x80, count: 255), autoLogout: longest,
                    logoutInSeconds: MessageLimits.durationSeconds, credentialStale: false,
                    pinAttemptsLeft: PINRules.attempts)),
            .revoked,
            .siteEntry([UInt8](repeating: 0xFF, count: 122)),
            .siteGrant([UInt8](repeating: 0, count: 151)), .siteGrant([UInt8](repeating: 0xFF, count: 228)),
            .siteNews(.document, [UInt8](repeating: 0, count: 162)),
            .siteNews(.head, [UInt8](repeating: 1, count: 137)),
            .siteNews(.entries, [UInt8](repeating: 0xFF, count: 854)),
            .carried([0]), .carried([UInt8](repeating: 0xFF, count: MessageLimits.carriedBytes)),
            .siteDocument(.of(3), [UInt8](repeating: 0, count: 162)),
            .siteDocument(.of(.max), [UInt8](repeating: 0xFF, count: 818)),
            .siteEnrolled(.of(3), [UInt8](repeating: 0, count: 151)),
            .siteEnrolled(.of(.max), [UInt8](repeating: 0xFF, count: 228)),
            .pong(.of(2), []),
            .pong(.of(.max), [UInt8](0...255)),
            .elevation(
                ElevationPrompt(id: .of(1), service: [0x73], terminal: [], requester: [0x61], seconds: 0)),
            .elevation(
                ElevationPrompt(
                    id: .of(.max), service: [UInt8](repeating: 0x73, count: 64),
                    terminal: [UInt8](repeating: 0x74, count: 64), requester: [UInt8](repeating: 0xFF, count: 255),
                    seconds: MessageLimits.elevationSeconds)),
            .elevationOver(.of(1)), .elevationOver(.of(.max)),
        ]
            + LoginProgress.allCases.map { .progress(.of(2), $0) }
            + Offer.allCases.map { .offer($0) }
            + SessionEnd.allCases.map { .sessionEnded($0) }
            + LogoutWarning.Cause.allCases.map {
                .logoutWarning(LogoutWarning(seconds: 60, cause: $0, canExtend: $0 != .away))
            }
            + [
                .logoutWarning(nil),
                .logoutWarning(
                    LogoutWarning(seconds: MessageLimits.durationSeconds, cause: .closing, canExtend: false)),
            ]
            + ResultCode.allCases.map { .result(.of(2), $0, detail(of: $0)) }
    }
}

extension Array {
    /// Returns `count` elements by repeating the array.
    func cycled(_ count: Int) -> [Element] {
        (0..<count).map { self[$0 % self.count] }
    }
}

extension PhoneRequestMessage {
    /// Returns the encoding in ordinary memory, since the secrets of tests are not really secret.
    func plainBytes() throws -> [UInt8] {
        try encoded().withBytes { bytes in bytes.copy(0..<bytes.byteCount) }
    }

    static func decode(_ bytes: [UInt8]) throws(WireError) -> PhoneRequestMessage {
        try bytes.withRawSpan { span throws(WireError) in try decode(span) }
    }
}

extension BoxMessage {
    static func decode(_ bytes: [UInt8]) throws(WireError) -> BoxMessage {
        try bytes.withRawSpan { span throws(WireError) in try decode(span) }
    }
}

extension PhoneRequest {
    /// All fields of the request, with its secrets as plain bytes, for comparison.
    var plainFields: [[UInt8]] {
        func plain(_ secret: HeldSecret) -> [UInt8] {
            secret.bytes.withBytes { $0.copy(0..<$0.byteCount) }
        }
        return switch self {
        case .hello(let versions, let capabilities, let grant):
            [[1], versions, Array("\(capabilities.rawValue)".utf8), grant?.bytes ?? []]
        case .enrol(let request): [[2], request.label, request.commitment]
        case .reveal(let nonce): [[33], nonce]
        case .enrolment: [[34]]
        case .carry(let bytes): [[39], bytes]
        case .login(let credential): [[3], plain(credential)]
        case .loginWithPIN(let pin, let secret): [[4], plain(pin), plain(secret)]
        case .storeCredential(let pin, let secret, let credential): [[5], plain(pin), plain(secret), plain(credential)]
        case .changePIN(let old, let new, let secret): [[6], plain(old), plain(new), plain(secret)]
        case .cancelLogin: [[7]]
        case .lock: [[8]]
        case .unlock: [[9]]
        case .logout: [[10]]
        case .status: [[11]]
        case .setAutoLogout(let seconds): [[12], Array("\(seconds)".utf8)]
        case .ping(let bytes): [[13], bytes]
        case .reportSignal(let dBm): [[14], Array("\(dBm.map { "\($0)" } ?? "none")".utf8)]
        case .setThresholds(let limits):
            [[15], Array("\(limits.map { "\($0.nearDBm) \($0.farDBm)" } ?? "none")".utf8)]
        case .extend: [[27]]
        case .elevate(let id, let credential): [[30], Array("\(id.rawValue)".utf8), plain(credential)]
        case .elevateWithPIN(let id, let pin, let secret):
            [[31], Array("\(id.rawValue)".utf8), plain(pin), plain(secret)]
        case .declineElevation(let id): [[32], Array("\(id.rawValue)".utf8)]
        case .siteNews(let question): [[39], question]
        case .siteLogin(let sealed): [[45], sealed]
        case .siteElevate(let id, let sealed): [[46], Array("\(id.rawValue)".utf8), sealed]
        case .siteAsk(let sealed): [[47], sealed]
        }
    }
}
