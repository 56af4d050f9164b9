import PhoneMessages
import TestSupport
import Testing

/// One message of each kind, with the name that Tests/Vectors/protocol.md gives it.
enum Examples {
    private static let pin = held("4711")
    private static let newPIN = held("caf\u{e9}")
    private static let deviceSecret = held([UInt8](0x80..<0xA0))
    private static let credential = held("correct horse")
    private static let logout = AutoLogout(seconds: 900, minimumSeconds: 60, maximumSeconds: 28_800, mayBeOff: false)

    private static var requests: [(String, PhoneRequest)] {
        [
            ("hello", .hello(versions: [2], capabilities: .boxHeldCredentials)),
            (
                "hello",
                .hello(versions: [2], capabilities: .siteGrants, grant: .hash([UInt8](0x40..<0x50)))
            ),
            ("enrol", .enrol(EnrolRequest(label: Array("Ana's phone".utf8), commitment: [UInt8](0xA0..<0xC0)))),
            ("login", .login(credential)),
            ("login-with-pin", .loginWithPIN(pin: pin, deviceSecret: deviceSecret)),
            ("store-credential", .storeCredential(pin: pin, deviceSecret: deviceSecret, credential: credential)),
            ("change-pin", .changePIN(old: pin, new: newPIN, deviceSecret: deviceSecret)),
            ("cancel-login", .cancelLogin),
            ("lock", .lock),
            ("unlock", .unlock),
            ("logout", .logout),
            ("status", .status),
            ("set-auto-logout", .setAutoLogout(seconds: 900)),
            ("ping", .ping(Array("there and back".utf8))),
            ("report-signal", .reportSignal(dBm: -63)),
            ("report-signal", .reportSignal(dBm: nil)),
            ("set-thresholds", .setThresholds(SignalThresholds(nearDBm: -62, farDBm: -81))),
            ("set-thresholds", .setThresholds(nil)),
            ("extend", .extend),
            ("elevate", .elevate(.of(7), credential)),
            ("elevate-with-pin", .elevateWithPIN(.of(7), pin: pin, deviceSecret: deviceSecret)),
            ("decline-elevation", .declineElevation(.of(7))),
            ("reveal", .reveal(nonce: [UInt8](0xC0..<0xE0))),
            ("enrolment", .enrolment),
            ("carry", .carry([UInt8](0x00..<0x10))),
            ("site-news-wanted", .siteNews([UInt8](0x00..<0x23))),
            ("site-login", .siteLogin([UInt8](0..<138))),
            ("site-elevate", .siteElevate(.of(7), [UInt8](0..<138))),
            ("site-ask", .siteAsk([UInt8](0..<106))),
        ]
    }

    private static var messages: [(String, BoxMessage)] {
        [
            ("hello-answer", .hello(.of(1), version: 2, capabilities: .boxHeldCredentials)),
            (
                "enrolled",
                .enrolled(
                    .of(2),
                    EnrolResult(
                        deviceID: [UInt8](0x10..<0x20), user: Array("ana".utf8), credentialMode: .boxHeld,
                        boxID: Array("4711".utf8)))
            ),
            ("enrol-nonce", .enrolNonce(.of(2), [UInt8](0xE0...0xFF))),
            ("enrol-pending", .enrolPending(.of(3))),
            ("progress", .progress(.of(2), .delivered)),
            ("result", .result(.of(2), .correct, .none)),
            ("result", .result(.of(2), .pinWrong, ResultDetail(attemptsLeft: 1))),
            ("result", .result(.of(2), .lockedOut, ResultDetail(attemptsLeft: 4, retryAfterSeconds: 60))),
            (
                "state",
                .state(
                    BoxState(
                        session: .none, user: nil, autoLogout: logout, logoutInSeconds: nil, credentialStale: false,
                        pinAttemptsLeft: nil))
            ),
            (
                "state",
                .state(
                    BoxState(
                        session: .locked, user: Array("ana".utf8), autoLogout: logout, logoutInSeconds: 899,
                        credentialStale: true, pinAttemptsLeft: 10))
            ),
            ("revoked", .revoked),
            ("pong", .pong(.of(2), Array("there and back".utf8))),
            ("offer", .offer(.unlock)),
            ("logout-warning", .logoutWarning(LogoutWarning(seconds: 60, cause: .closing, canExtend: true))),
            ("logout-warning", .logoutWarning(nil)),
            (
                "elevation",
                .elevation(
                    ElevationPrompt(
                        id: .of(7), service: Array("sudo".utf8), terminal: Array("/dev/tty2".utf8),
                        requester: Array("ana".utf8), seconds: 30))
            ),
            ("elevation-over", .elevationOver(.of(7))),
            ("session-ended", .sessionEnded(.administrator)),
            ("site-entry", .siteEntry([UInt8](0x00..<0x7A))),
            ("site-grant", .siteGrant([UInt8](0x00..<0x97))),
            ("carried", .carried([UInt8](0x00..<0x10))),
            ("site-document", .siteDocument(.of(2), [UInt8](0x00..<0xA2))),
            ("site-enrolled", .siteEnrolled(.of(2), [UInt8](0x00..<0x97))),
            ("site-news", .siteNews(.entries, [UInt8](0x00..<0x7A))),
        ]
    }

    /// Returns the lines of the document's block: a padded name, and the message in hexadecimal.
    static func lines() throws -> [String] {
        let encoded =
            try requests.map { ($0.0, try PhoneRequestMessage(id: .of(2), request: $0.1).plainBytes()) }
            + messages.map { ($0.0, try $0.1.encoded()) }
        return encoded.map { name, bytes in
            name + String(repeating: " ", count: 18 - name.count) + hex(bytes)
        }
    }
}

@Suite("Examples of Tests/Vectors/protocol.md")
struct ExamplesTests {
    @Test("The examples of the document are what the code sends, and the code reads them")
    func examples() throws {
        let documented = try ProtocolDocument(ProtocolDocument.vectors).block("hex examples")
        let expected = try Examples.lines()
        #expect(documented == expected, "the block should read:\n\(expected.joined(separator: "\n"))")
        for line in documented {
            let message = bytes(String(line.dropFirst(17)))
            let known =
                (try? PhoneRequestMessage.decode(message)) != nil || (try? BoxMessage.decode(message)) != nil
            #expect(known, "\(line)")
        }
    }
}
