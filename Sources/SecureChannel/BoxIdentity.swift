import Secrets

/// The identity: what a box shows everybody, and a phone reads ahead of the handshake.
///
/// Anyone nearby can show any bytes here. They count once the certificate is verified, and once the handshake, whose
/// prologue ALL of them are part of, has shown that the box holds the certified key.
public struct BoxIdentity: Sendable, Equatable {
    /// What every identity begins with: protocol version (1) ‖ flags (1) ‖ certificate (111) ‖ authority key id (8).
    public static let byteCount = 121
    /// The longest there may be, in bytes: an attribute's value (Core Specification, Vol 3, Part F, 3.2.9).
    public static let byteCountLimit = 512
    /// The protocol version that this program speaks.
    public static let protocolVersion: UInt8 = 2
    /// Length of an authority key id, in bytes.
    public static let authorityKeyIDBytes = 8

    /// What the box says about itself; unknown flags are ignored.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// An enrolment code is open.
        public static let enrolmentOpen = Flags(rawValue: 1)
    }

    /// The highest protocol version that the box speaks.
    public let version: UInt8
    public let flags: Flags
    public let certificate: ClaimedBoxCertificate
    /// The first 8 bytes of the SHA-256 of the authority's public key: which of several authorities signed.
    public let authorityKeyID: [UInt8]
    /// What a later box says besides; not understood here, and covered by the handshake.
    public let rest: [UInt8]

    /// The identity that a box shows. `siteCertificate`: of a box that belongs to a site, 141 bytes (docs/reference/site-protocol.md, 5).
    public init(
        flags: Flags = [], certificate: BoxCertificate, authority: [UInt8], siteCertificate: [UInt8]? = nil
    ) throws(CertificateError) {
        version = Self.protocolVersion
        self.flags = flags
        self.certificate = try ClaimedBoxCertificate(parsing: certificate.bytes)
        authorityKeyID = Self.authorityKeyID(of: authority)
        rest = siteCertificate.map { IdentityAddition(kind: .siteCertificate, value: $0).bytes } ?? []
    }

    /// The certificate that the box says it has of a site; nil: it says none, or what follows the identity is nothing that this program
    /// understands.
    public var siteCertificate: [UInt8]? {
        IdentityAddition.all(in: rest)?.first { $0.kind == IdentityAddition.Kind.siteCertificate.rawValue }?.value
    }

    /// Reads an identity. A box that speaks only older versions is `unknownVersion`; one that speaks newer
    /// ones as well says so in its hello.
    public init(parsing bytes: [UInt8]) throws(CertificateError) {
        guard let version = bytes.first else { throw .wrongLength }
        // Another version may have another length: the version is what a person can act on.
        guard version >= Self.protocolVersion else { throw .unknownVersion }
        guard (Self.byteCount...Self.byteCountLimit).contains(bytes.count) else { throw .wrongLength }
        let certificateEnd = 2 + BoxCertificate.byteCount
        self.version = version
        flags = Flags(rawValue: bytes[1])
        certificate = try ClaimedBoxCertificate(parsing: [UInt8](bytes[2..<certificateEnd]))
        authorityKeyID = [UInt8](bytes[certificateEnd..<Self.byteCount])
        rest = [UInt8](bytes[Self.byteCount...])
    }

    /// The characteristic's value.
    public var bytes: [UInt8] {
        [version, flags.rawValue] + certificate.bytes + authorityKeyID + rest
    }

    /// The id of an authority's public key.
    public static func authorityKeyID(of authority: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(authority).prefix(authorityKeyIDBytes))
    }
}
