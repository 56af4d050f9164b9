import PhoneMessages
import Testing
import Wire

@Suite("What the encoder does not let out")
struct EncoderRefusalTests {
    private static let secret = held(RequestSamples.deviceSecret)
    private static let commitment = RequestSamples.deviceSecret

    static var requests: [PhoneRequest] {
        [
            .hello(versions: [], capabilities: []),
            .hello(versions: [0], capabilities: []),
            .hello(versions: [2, 1], capabilities: []),
            .hello(versions: [1, 1], capabilities: []),
            .hello(versions: Array(1...9), capabilities: []),
            .hello(versions: [2], capabilities: [], grant: .hash([UInt8](repeating: 0, count: 15))),
            .hello(versions: [2], capabilities: [], grant: .hash([UInt8](repeating: 0, count: 151))),
            .hello(versions: [2], capabilities: [], grant: .whole([UInt8](repeating: 0, count: 16))),
            .hello(versions: [2], capabilities: [], grant: .whole([UInt8](repeating: 0, count: 150))),
            .hello(versions: [2], capabilities: [], grant: .whole([UInt8](repeating: 0, count: 229))),
            .enrol(EnrolRequest(label: [UInt8](repeating: 0x61, count: 65), commitment: commitment)),
            .enrol(EnrolRequest(label: [0x1B], commitment: commitment)),
            .enrol(EnrolRequest(label: [0xC3], commitment: commitment)),
            .enrol(EnrolRequest(label: [], commitment: [UInt8](commitment.dropLast()))),
            .reveal(nonce: []), .reveal(nonce: commitment + [0]),
            .login(held("")),
            .login(held([UInt8](repeating: 1, count: 512))),
            .login(held([1, 0, 1])),
            .loginWithPIN(pin: held("123"), deviceSecret: secret),
            .loginWithPIN(pin: held("1234"), deviceSecret: held([1])),
            .storeCredential(pin: held([0xFF, 0x31, 0x32, 0x33]), deviceSecret: secret, credential: held("x")),
            .storeCredential(pin: held("1234"), deviceSecret: secret, credential: held("")),
            .changePIN(old: held("1234"), new: held("12"), deviceSecret: secret),
            .setAutoLogout(seconds: MessageLimits.durationSeconds + 1),
            .ping([UInt8](repeating: 1, count: MessageLimits.pingBytes + 1)),
            .siteNews([UInt8](repeating: 1, count: 34)), .siteNews([UInt8](repeating: 1, count: 836)),
        ]
    }

    @Test("A request out of its bounds is not encoded", arguments: requests.indices)
    func badRequests(_ index: Int) {
        #expect(throws: WireError.outOfRange) {
            _ = try PhoneRequestMessage(id: .first, request: Self.requests[index]).encoded()
        }
    }

    private static let logout = AutoLogout(seconds: 60, minimumSeconds: 60, maximumSeconds: 90, mayBeOff: false)

    static var messages: [BoxMessage] {
        [
            .hello(.first, version: 0, capabilities: []),
            .siteEntry([UInt8](repeating: 0, count: 121)), .siteEntry([UInt8](repeating: 0, count: 123)),
            .siteGrant([UInt8](repeating: 0, count: 16)), .siteGrant([UInt8](repeating: 0, count: 229)),
            .siteNews(.head, [UInt8](repeating: 0, count: 121)), .siteNews(.head, [UInt8](repeating: 0, count: 855)),
            .carried([]), .carried([UInt8](repeating: 0, count: MessageLimits.carriedBytes + 1)),
            .siteDocument(.first, [UInt8](repeating: 0, count: 161)),
            .siteDocument(.first, [UInt8](repeating: 0, count: 819)),
            .siteEnrolled(.first, [UInt8](repeating: 0, count: 16)),
            .siteEnrolled(.first, [UInt8](repeating: 0, count: 229)),
            .result(.first, .pinWrong, .none),
            .result(.first, .pinWrong, ResultDetail(attemptsLeft: 0)),
            .result(.first, .pinWrong, ResultDetail(attemptsLeft: 11)),
            .result(.first, .lockedOut, .none),
            .result(.first, .correct, ResultDetail(retryAfterSeconds: MessageLimits.durationSeconds + 1)),
            .enrolled(
                .first, EnrolResult(deviceID: [], user: [1], credentialMode: .boxHeld, boxID: [0x30, 0x30, 0x30, 0x30])),
            .state(
                BoxState(
                    session: .none, user: [1], autoLogout: logout, logoutInSeconds: nil, credentialStale: false,
                    pinAttemptsLeft: nil)),
            .state(
                BoxState(
                    session: .active, user: nil, autoLogout: logout, logoutInSeconds: nil, credentialStale: false,
                    pinAttemptsLeft: nil)),
            .state(
                BoxState(
                    session: .none, user: nil,
                    autoLogout: AutoLogout(seconds: 1, minimumSeconds: 2, maximumSeconds: 1, mayBeOff: true),
                    logoutInSeconds: nil, credentialStale: false, pinAttemptsLeft: nil)),
            .state(
                BoxState(
                    session: .none, user: nil, autoLogout: logout, logoutInSeconds: .max, credentialStale: false,
                    pinAttemptsLeft: nil)),
            .state(
                BoxState(
                    session: .none, user: nil, autoLogout: logout, logoutInSeconds: nil, credentialStale: false,
                    pinAttemptsLeft: 11)),
            .pong(.first, [UInt8](repeating: 1, count: MessageLimits.pingBytes + 1)),
        ]
    }

    @Test("A message of the box out of its bounds is not encoded", arguments: messages)
    func badMessages(_ message: BoxMessage) {
        #expect(throws: WireError.outOfRange) { try message.encoded() }
    }
}
