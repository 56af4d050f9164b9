import PhoneMessages
import TestSupport
import Testing

@Suite("Vectors of Tests/Vectors/protocol.md")
struct VectorTests {
    private static func keys() throws -> [String] {
        var transcript = Transcript()
        transcript.add("authority's seed", VectorKeys.authoritySeed)
        transcript.add("authority's public key", try VectorKeys.authority().publicKey)
        transcript.add("box's static private key", VectorKeys.boxPrivate)
        transcript.add("box's static public key", try VectorKeys.keyPair(VectorKeys.boxPrivate).publicKey)
        transcript.add("phone's static private key", VectorKeys.phonePrivate)
        transcript.add("phone's static public key", try VectorKeys.keyPair(VectorKeys.phonePrivate).publicKey)
        transcript.add("PSK", VectorKeys.psk)
        transcript.add("code id", VectorKeys.codeID)
        transcript.add("box ID, in ASCII", VectorKeys.boxID)
        transcript.add("user, in ASCII", VectorKeys.user)
        transcript.add("identity", try VectorKeys.identity().bytes)
        return transcript.lines
    }

    private static func enrolment() throws -> [String] {
        var conversation = try VectorConversation(
            enrolling: VectorKeys.codeID, phoneEphemeral: VectorKeys.counting(from: 0x81),
            boxEphemeral: VectorKeys.counting(from: 0xA1))
        try conversation.phoneSends("hello", 1, .hello(versions: [2], capabilities: []))
        try conversation.phoneCommits(to: VectorKeys.phoneNonce)
        try conversation.boxSends("hello", .hello(.of(1), version: 2, capabilities: .boxHeldCredentials))
        try conversation.boxSends("enrol-nonce", .enrolNonce(.of(2), VectorKeys.boxNonce))
        try conversation.phoneSends("reveal", 3, .reveal(nonce: VectorKeys.phoneNonce))
        conversation.showDigits()
        try conversation.boxSends("enrol-pending", .enrolPending(.of(3)))
        try conversation.boxSends(
            "enrolled",
            .enrolled(
                .of(3),
                EnrolResult(
                    deviceID: VectorKeys.deviceID, user: VectorKeys.user, credentialMode: .phoneHeld,
                    boxID: VectorKeys.boxID)))
        try conversation.phoneCloses()
        return conversation.transcript.lines
    }

    private static func login(attMTU: Int = 185, psm: UInt16 = 0) throws -> Transcript {
        var conversation = try VectorConversation(
            enrolling: nil, phoneEphemeral: VectorKeys.counting(from: 0xC1),
            boxEphemeral: VectorKeys.counting(from: 0xE0), attMTU: attMTU, psm: psm)
        try conversation.phoneSends("hello", 1, .hello(versions: [2], capabilities: []))
        try conversation.phoneSends("login", 2, .login(held("correct horse battery staple 32b")))
        try conversation.boxSends("hello", .hello(.of(1), version: 2, capabilities: .boxHeldCredentials))
        try conversation.boxSends("progress", .progress(.of(2), .delivered))
        try conversation.boxSends(
            "state",
            .state(
                BoxState(
                    session: .active, user: VectorKeys.user,
                    autoLogout: AutoLogout(seconds: 900, minimumSeconds: 60, maximumSeconds: 28_800, mayBeOff: false),
                    logoutInSeconds: nil, credentialStale: false, pinAttemptsLeft: nil)))
        // A login gets its result after the session has opened.
        try conversation.boxSends("result", .result(.of(2), .correct, .none))
        try conversation.phoneCloses()
        return conversation.transcript
    }

    @Test("Keys and identity are what the code makes of the seeds")
    func keys() throws {
        try expect("hex vectors-keys", try Self.keys())
    }

    @Test("The enrolment code is what the code formats")
    func uri() throws {
        try expect("text vectors-code", [try VectorKeys.enrolmentURI()])
    }

    @Test("A complete enrolment, byte for byte")
    func enrolment() throws {
        try expect("hex vectors-enrolment", try Self.enrolment())
    }

    @Test("A complete login, byte for byte")
    func login() throws {
        try expect("hex vectors-login", try Self.login(attMTU: 185).lines)
    }

    @Test("The same login in the smallest segments there are")
    func smallSegments() throws {
        let transcript = try Self.login(attMTU: 23)
        try expect("hex vectors-login-23", transcript.segments)
    }

    @Test("The same login over L2CAP: another prologue, and so other bytes; each SDU is a segment")
    func overL2CAP() throws {
        try expect("hex vectors-login-l2cap", try Self.login(psm: 0x0080).lines)
    }

    private func expect(_ block: String, _ expected: [String]) throws {
        let documented = try ProtocolDocument(ProtocolDocument.vectors).block(block)
        #expect(documented == expected, "\(block) should read:\n\(expected.joined(separator: "\n"))\n```")
    }
}
