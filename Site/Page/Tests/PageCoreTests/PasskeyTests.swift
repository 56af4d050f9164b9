import Crypto
import PageCore
import Testing

@Suite("Passkeys")
struct PasskeyTests {
    private let challenge = randomBytes(ChallengeMint.byteCount)

    private func register(_ authenticator: TestAuthenticator, attested: [UInt8]? = nil) throws -> PasskeyRegistration {
        let data = authenticator.data(attested ?? authenticator.attested())
        return try PasskeyRegistration(
            clientData: authenticator.client("webauthn.create", challenge),
            attestation: authenticator.attestation(data),
            at: TestPlace.place()
        ) { $0 == challenge }
    }

    private func verify(
        _ authenticator: TestAuthenticator, type: String = "webauthn.get", counter: UInt32 = 0,
        publicKey: [UInt8]? = nil
    ) throws -> UInt32 {
        try authenticator.assertion(challenge, type: type).verify(
            publicKey: publicKey ?? authenticator.publicKey, counter: counter, at: TestPlace.place()
        ) { $0 == challenge }
    }

    @Test("A passkey that was made is taken with its id, key and counter, and signs in")
    func good() throws {
        let authenticator = TestAuthenticator()
        let made = try register(authenticator)
        #expect(made.credentialID == authenticator.credentialID && made.publicKey == authenticator.publicKey)
        #expect(made.counter == 1)
        #expect(try verify(authenticator, publicKey: made.publicKey) == 1)
    }

    @Test("Additions of other browser versions are ignored")
    func additions() throws {
        var authenticator = TestAuthenticator()
        authenticator.more = ",\"crossOrigin\":false,\"other_keys_can_be_added_here\":\"do not compare\""
        #expect(try verify(authenticator) == 1)
        authenticator.flags |= 1 << 7
        authenticator.tail = [0xA1, 0x61, 0x61, 0xF5]
        #expect(try verify(authenticator) == 1)
    }

    @Test("Another page, a frame in another page and another host are refused, also where the rest is right")
    func elsewhere() {
        var authenticator = TestAuthenticator()
        for origin in ["https://boxes.example.org:444", "http://boxes.example.org", "https://evil.example.org", "null"]
        {
            authenticator.origin = origin
            #expect(throws: PasskeyError.otherOrigin) { try verify(authenticator) }
            #expect(throws: PasskeyError.otherOrigin) { try register(authenticator) }
        }
        authenticator = TestAuthenticator()
        for more in [",\"crossOrigin\":true", ",\"topOrigin\":\"https://evil.example.org\""] {
            authenticator.more = more
            #expect(throws: PasskeyError.otherOrigin) { try verify(authenticator) }
        }
        authenticator = TestAuthenticator()
        authenticator.host = "example.org"
        #expect(throws: PasskeyError.otherHost) { try verify(authenticator) }
        #expect(throws: PasskeyError.otherHost) { try register(authenticator) }
    }

    @Test("Without a person who was recognised nothing is signed in or made")
    func unverified() {
        var authenticator = TestAuthenticator()
        for flags in [0b000, 0b001, 0b100] as [UInt8] {
            authenticator.flags = flags
            #expect(throws: PasskeyError.notVerified) { try verify(authenticator) }
            #expect(throws: PasskeyError.notVerified) { try register(authenticator) }
        }
    }

    @Test("An answer to making is none to signing in")
    func ceremonies() {
        #expect(throws: PasskeyError.otherCeremony) { try verify(TestAuthenticator(), type: "webauthn.create") }
    }

    @Test("Another's key, another's signature and a bent one are refused")
    func signatures() throws {
        let authenticator = TestAuthenticator()
        #expect(throws: PasskeyError.wrongSignature) {
            try verify(authenticator, publicKey: TestAuthenticator().publicKey)
        }
        let (client, data) = (authenticator.client("webauthn.get", challenge), authenticator.data())
        var signature = try authenticator.signature(data, client)
        signature[signature.count - 1] ^= 1
        let assertion = try PasskeyAssertion(
            credentialID: authenticator.credentialID, clientData: client, authenticatorData: data, signature: signature)
        #expect(throws: PasskeyError.wrongSignature) {
            try assertion.verify(publicKey: authenticator.publicKey, counter: 0, at: TestPlace.place()) { _ in true }
        }
    }

    @Test("A counter that does not rise is refused, unless there is none at all")
    func counters() throws {
        var authenticator = TestAuthenticator()
        authenticator.counter = 7
        #expect(try verify(authenticator, counter: 6) == 7)
        for last in [7, 8, .max] as [UInt32] {
            #expect(throws: PasskeyError.counterWentBack) { try verify(authenticator, counter: last) }
        }
        authenticator.counter = 0
        #expect(try verify(authenticator, counter: 0) == 0)
        #expect(throws: PasskeyError.counterWentBack) { try verify(authenticator, counter: 1) }
    }

    @Test("The challenge is asked about last: what does not hold uses none up")
    func challengeLast() throws {
        var asked = 0
        var authenticator = TestAuthenticator()
        authenticator.host = "example.org"
        _ = try? authenticator.assertion(challenge).verify(
            publicKey: authenticator.publicKey, counter: 0, at: TestPlace.place()
        ) { _ in
            asked += 1
            return true
        }
        #expect(asked == 0)
        let good = TestAuthenticator()
        #expect(throws: PasskeyError.staleChallenge) {
            try good.assertion(challenge).verify(publicKey: good.publicKey, counter: 0, at: TestPlace.place()) { _ in
                false
            }
        }
    }

    @Test("A key on another curve, for another algorithm, or that is no point, is not taken")
    func keys() {
        let authenticator = TestAuthenticator()
        #expect(throws: PasskeyError.otherAlgorithm) {
            try register(authenticator, attested: authenticator.attested(algorithm: 0x27))
        }
        #expect(throws: PasskeyError.otherAlgorithm) {
            try register(authenticator, attested: authenticator.attested(key: [4] + [UInt8](repeating: 7, count: 64)))
        }
    }

    @Test("What is cut off anywhere, or longer than its bound, is refused")
    func cut() throws {
        let authenticator = TestAuthenticator()
        let (client, place) = (authenticator.client("webauthn.create", challenge), try TestPlace.place())
        let whole = authenticator.attestation(authenticator.data(authenticator.attested()))
        for count in 0..<whole.count {
            #expect(throws: PasskeyError.self) {
                try PasskeyRegistration(clientData: client, attestation: Array(whole[..<count]), at: place) { _ in true
                }
            }
        }
        for count in 0..<client.count {
            #expect(throws: PasskeyError.malformed) {
                try PasskeyRegistration(clientData: Array(client[..<count]), attestation: whole, at: place) { _ in true
                }
            }
        }
        #expect(throws: PasskeyError.malformed) {
            try PasskeyRegistration(clientData: client, attestation: whole + [0], at: place) { _ in true }
        }
        let long = [UInt8](repeating: 0x20, count: PageLimits.clientDataBytes)
        #expect(throws: PasskeyError.malformed) {
            try PasskeyRegistration(clientData: client + long, attestation: whole, at: place) { _ in true }
        }
        #expect(throws: PasskeyError.malformed) {
            try PasskeyAssertion(
                credentialID: [], clientData: client, authenticatorData: authenticator.data(), signature: [])
        }
    }

    @Test("Bytes that were changed at random are refused or say the same, and nothing ends the program")
    func random() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed)
        let authenticator = TestAuthenticator()
        let (client, place) = (authenticator.client("webauthn.create", challenge), try TestPlace.place())
        let whole = authenticator.attestation(authenticator.data(authenticator.attested()))
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[at] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.remove(at: at)
                default: bytes.insert(.random(in: .min ... .max, using: &generator), at: at)
                }
            }
            let made = try? PasskeyRegistration(clientData: client, attestation: bytes, at: place) { _ in true }
            if let made {
                #expect(made.publicKey.count == 65 && (1...1_023).contains(made.credentialID.count), "seed \(seed)")
            }
        }
    }
}

/// Random numbers that can be reproduced from a seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
