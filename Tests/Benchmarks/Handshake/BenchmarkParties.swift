import Secrets
import SecureChannel

/// A phone and a box with the same kind of secret pool as the agent.
struct BenchmarkParties: ~Copyable {
    private let phone = X25519KeyPair()
    private let box = X25519KeyPair()
    private let pool = SecretArenaPool()
    private let prologue: [UInt8]

    init() throws {
        let authority = Ed25519KeyPair()
        let certificate = try BoxCertificate.issue(
            boxID: [UInt8]("0427".utf8), boxKey: box.publicKey, serial: 1, authority: authority)
        let identity = try BoxIdentity(certificate: certificate, authority: authority.publicKey)
        prologue = HandshakePrologue.channel(binding: [1, 0, 0], identity: identity.bytes).bytes
    }

    /// Runs a whole IK handshake, both sides, from the keys to two open channels.
    borrowing func handshake() throws(HandshakeError) {
        let step = try InitiatorStart<XChaChaPoly>(
            prologue: prologue, staticKey: phone, remoteStatic: box.publicKey, pool: pool
        ).writeMessage1()
        let reply = try ResponderStart<XChaChaPoly>(prologue: prologue, staticKey: box, pool: pool)
            .readMessage1(step.message).writeMessage2(now: .zero)
        let channel = try step.next.readMessage2(reply.message, now: .zero)
        precondition(channel.handshakeHash == reply.transport.handshakeHash, "the handshake failed")
    }
}
