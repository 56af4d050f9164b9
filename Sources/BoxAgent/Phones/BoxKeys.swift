import Secrets
import SecureChannel
import Transport

/// The box's keys and the certificate that phones read, held for as long as the agent runs.
final class BoxKeys: Sendable {
    private let staticKey: X25519KeyPair
    private let pool = SecretArenaPool()
    /// Four to six ASCII digits.
    let boxID: [UInt8]
    let serial: UInt64
    let authorityPublicKey: [UInt8]
    let authorityKeyID: [UInt8]
    /// The exact bytes that the box shows of itself.
    let identity: [UInt8]

    /// Issues the box's certificate with its own authority (a single box is its own).
    init(
        staticKey: consuming X25519KeyPair, authority: borrowing Ed25519KeyPair, boxID: [UInt8], serial: UInt64
    ) throws(CertificateError) {
        self.boxID = boxID
        self.serial = serial
        authorityPublicKey = authority.publicKey
        let certificate = try BoxCertificate.issue(
            boxID: boxID, boxKey: staticKey.publicKey, serial: serial, authority: authority)
        let identity = try BoxIdentity(certificate: certificate, authority: authority.publicKey)
        authorityKeyID = identity.authorityKeyID
        self.identity = identity.bytes
        self.staticKey = staticKey
    }

    var publicKey: [UInt8] { staticKey.publicKey }

    func startChannel(on link: any PhoneLink) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        let prologue = HandshakePrologue.channel(binding: link.binding, identity: identity)
        return try ResponderStart(prologue: prologue.bytes, staticKey: staticKey, pool: pool)
    }

    func startEnrolment(
        on link: any PhoneLink, codeID: [UInt8], psk: HeldSecret
    ) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        let prologue = HandshakePrologue.enrol(binding: link.binding, identity: identity, codeID: codeID)
        return try ResponderStart(prologue: prologue.bytes, staticKey: staticKey, psk: psk.bytes, pool: pool)
    }
}
