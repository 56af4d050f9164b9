import Secrets
import SecureChannel
import SiteLink

/// The box's keys and the identity that phones read. The value never changes. A link keeps the keys that it began with.
package final class BoxKeys: Sendable {
    private let staticKey: X25519KeyPair
    private let pool = SecretArenaPool()
    /// Four to six ASCII digits.
    package let boxID: [UInt8]
    package let serial: UInt64
    package let authorityPublicKey: [UInt8]
    package let authorityKeyID: [UInt8]
    /// The exact bytes of the identity that the box shows.
    package let identity: [UInt8]

    /// Issues the box's certificate with the box's own authority key.
    ///
    /// - Parameter siteCertificate: The certificate from the box's site, 141 bytes.
    package init(
        staticKey: consuming X25519KeyPair, authority: borrowing Ed25519KeyPair, boxID: [UInt8], serial: UInt64,
        siteCertificate: [UInt8]? = nil
    ) throws(CertificateError) {
        self.boxID = boxID
        self.serial = serial
        authorityPublicKey = authority.publicKey
        let certificate = try BoxCertificate.issue(
            boxID: boxID, boxKey: staticKey.publicKey, serial: serial, authority: authority)
        let identity = try BoxIdentity(
            certificate: certificate, authority: authority.publicKey, siteCertificate: siteCertificate)
        authorityKeyID = identity.authorityKeyID
        self.identity = identity.bytes
        self.staticKey = staticKey
    }

    package var publicKey: [UInt8] { staticKey.publicKey }

    /// Starts the responder's side of a channel, on a link whose carrier has this binding.
    func startChannel(binding: [UInt8]) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        let prologue = HandshakePrologue.channel(binding: binding, identity: identity)
        return try ResponderStart(prologue: prologue.bytes, staticKey: staticKey, pool: pool)
    }

    /// Starts the responder's side of an enrolment, with the code's secret.
    func startEnrolment(
        binding: [UInt8], codeID: [UInt8], psk: HeldSecret
    ) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        let prologue = HandshakePrologue.enrol(binding: binding, identity: identity, codeID: codeID)
        return try ResponderStart(prologue: prologue.bytes, staticKey: staticKey, psk: psk.bytes, pool: pool)
    }

    /// Starts the handshake with a server of the site. Returns the message to send, or nil if the handshake fails.
    package func shake(_ end: SiteBoxEnd, serverKey: [UInt8]) -> [UInt8]? {
        end.shake(serverKey: serverKey, staticKey: staticKey)
    }

    /// Starts the handshake to join a site, with a join code's id and secret. Returns nil if the handshake fails.
    package func join(_ end: SiteBoxEnd, serverKey: [UInt8], codeID: [UInt8], secret: HeldSecret) -> [UInt8]? {
        end.join(serverKey: serverKey, staticKey: staticKey, codeID: codeID, secret: secret.bytes)
    }
}
