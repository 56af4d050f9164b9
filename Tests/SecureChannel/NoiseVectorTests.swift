import TestVectors
import Testing

@testable import SecureChannel
@testable import Secrets

@Suite("Noise vectors")
struct NoiseVectorTests {
    @Test("Published ChaChaPoly vectors", arguments: try VectorFile("noise-chachapoly-published.txt").cases)
    func published(vector: VectorCase) throws {
        try Player<ChaChaPoly>(vector).play()
    }

    @Test(
        "ChaChaPoly vectors of an independent implementation",
        arguments: try VectorFile("noise-chachapoly-generated.txt").cases)
    func generated(vector: VectorCase) throws {
        try Player<ChaChaPoly>(vector).play()
    }

    @Test(
        "XChaChaPoly vectors of an independent implementation",
        arguments: try VectorFile("noise-xchachapoly.txt").cases)
    func ourSuite(vector: VectorCase) throws {
        try Player<XChaChaPoly>(vector).play()
    }

    @Test("Vectors with framed messages pass through the channel itself, close included")
    func framed() throws {
        let vectors = try VectorFile("noise-xchachapoly.txt").cases.filter { $0.name.contains("empty payloads") }
        #expect(vectors.count == 2)
        for vector in vectors {
            try Player<XChaChaPoly>(vector).playFramed()
        }
    }
}

/// Plays one vector with the code that phone and box use.
private struct Player<AEAD: AEADSuite> {
    let vector: VectorCase
    private let prologue: [UInt8]

    init(_ vector: VectorCase) throws {
        self.vector = vector
        prologue = try vector.bytes("prologue")
        let name = String(decoding: try Self.protocolName(vector), as: UTF8.self)
        #expect(try name == vector.text("protocol"))
    }

    private static func protocolName(_ vector: VectorCase) throws -> [UInt8] {
        ProtocolName.bytes(pattern: vector.has("psk") ? .ikPSK1 : .ik, cipher: AEAD.noiseName)
    }

    private func pair(_ key: String) throws -> X25519KeyPair {
        try X25519KeyPair(privateKey: SecretBytes(copying: vector.bytes(key)))
    }

    private func initiator() throws -> InitiatorStart<AEAD> {
        let remoteStatic = try vector.bytes("responder_static_public")
        guard vector.has("psk") else {
            return try InitiatorStart(
                prologue: prologue, staticKey: pair("initiator_static"), remoteStatic: remoteStatic)
        }
        return try InitiatorStart(
            prologue: prologue, staticKey: pair("initiator_static"), remoteStatic: remoteStatic,
            psk: SecretBytes(copying: vector.bytes("psk")))
    }

    private func responder() throws -> ResponderStart<AEAD> {
        guard vector.has("psk") else {
            return try ResponderStart(prologue: prologue, staticKey: pair("responder_static"))
        }
        return try ResponderStart(
            prologue: prologue, staticKey: pair("responder_static"), psk: SecretBytes(copying: vector.bytes("psk")))
    }

    private func message(_ number: Int) throws -> (payload: [UInt8], ciphertext: [UInt8]) {
        (try vector.bytes("message\(number)_payload"), try vector.bytes("message\(number)_ciphertext"))
    }

    /// Checks the handshake on both sides, and returns the channel's two ends.
    private func handshake() throws -> Ends<AEAD> {
        let (first, second) = (try message(0), try message(1))
        let step = try initiator().writeMessage1(payload: first.payload, ephemeral: pair("initiator_ephemeral"))
        #expect(step.message == first.ciphertext)
        var received: [UInt8] = []
        let ready = try responder().readMessage1(first.ciphertext, payload: &received)
        #expect(received == first.payload)
        #expect(try ready.claimedRemoteStatic == pair("initiator_static").publicKey)
        let reply = try ready.writeMessage2(
            payload: second.payload, ephemeral: pair("responder_ephemeral"), now: .zero)
        #expect(reply.message == second.ciphertext)
        let initiator = try step.next.readMessage2(second.ciphertext, payload: &received, now: .zero)
        #expect(received == second.payload)
        let responder = reply.transport
        #expect(try initiator.handshakeHash == vector.bytes("handshake_hash"))
        #expect(try responder.handshakeHash == vector.bytes("handshake_hash"))
        return Ends(initiator: initiator, responder: responder)
    }

    func play() throws {
        var ends = try handshake()
        var number = 2
        while vector.has("message\(number)_payload") {
            let (payload, ciphertext) = try message(number)
            if number % 2 == 0 {
                #expect(try ends.initiator.sealRaw(payload) == ciphertext)
                #expect(try ends.responder.openRaw(ciphertext) == payload)
            } else {
                #expect(try ends.responder.sealRaw(payload) == ciphertext)
                #expect(try ends.initiator.openRaw(ciphertext) == payload)
            }
            number += 1
        }
        #expect(number >= 6, "the vector has several transport messages each way")
    }

    func playFramed() throws {
        var ends = try handshake()
        for number in 2..<8 {
            let (payload, ciphertext) = try message(number)
            let body = [UInt8](payload.dropFirst())
            if number % 2 == 0 {
                #expect(try ends.initiator.seal(body, now: .zero) == ciphertext)
                let opened = try ends.responder.open(ciphertext, now: .zero)
                #expect(opened.publicCopy == body)
            } else {
                #expect(try ends.responder.seal(body, now: .zero) == ciphertext)
                let opened = try ends.initiator.open(ciphertext, now: .zero)
                #expect(opened.publicCopy == body)
            }
        }
        let close = try message(8).ciphertext
        #expect(try ends.initiator.sealClose() == close)
        #expect(throws: ChannelError.closedByPeer) { _ = try ends.responder.open(close, now: .zero).count }
    }
}

private struct Ends<AEAD: AEADSuite>: ~Copyable {
    var initiator: ChannelTransport<AEAD>
    var responder: ChannelTransport<AEAD>
}
