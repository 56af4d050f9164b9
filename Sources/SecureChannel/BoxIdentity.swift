import Secrets

/// The identity that a box shows to everybody, and that a phone reads before the handshake.
///
/// Anyone nearby can show an identity. It counts once the certificate is verified and the handshake has proved that the
/// box holds the certified key. ALL bytes of the identity are part of the handshake's prologue.
public struct BoxIdentity: Sendable, Equatable {
    /// The fixed beginning: protocol version (1) ‖ flags (1) ‖ certificate (111) ‖ authority key id (8).
    public static let byteCount = 121
    /// Longest identity, in bytes: an attribute's value (Core Specification, Vol 3, Part F, 3.2.9).
    public static let byteCountLimit = 512
    /// The protocol version that this program speaks.
    public static let protocolVersion: UInt8 = 2
    /// Length of an authority key id, in bytes.
    public static let authorityKeyIDBytes = 8

    /// The state that the box claims. Unknown flags are ignored.
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
    /// The first 8 bytes of the SHA-256 of the authority's public key, which tell which of several authorities signed.
    public let authorityKeyID: [UInt8]
    /// The additions, of kinds that this program may not know. The handshake covers all additions.
    public let rest: [UInt8]

    /// Makes an identity. A box of a site passes `siteCertificate`, 141 bytes (docs/reference/site-protocol.md, 5).
    public init(
        flags: Flags = [], certificate: BoxCertificate, authority: [UInt8], siteCertificate: [UInt8]? = nil
    ) throws(CertificateError) {
        version = Self.protocolVersion
        self.flags = flags
        self.certificate = try ClaimedBoxCertificate(parsing: certificate.bytes)
        authorityKeyID = Self.authorityKeyID(of: authority)
        rest = siteCertificate.map { IdentityAddition(kind: .siteCertificate, value: $0).bytes } ?? []
    }

    /// The site's certificate as the box claims it. Nil if there is none, or if this program cannot read the additions.
    public var siteCertificate: [UInt8]? {
        IdentityAddition.all(in: rest)?.first { $0.kind == IdentityAddition.Kind.siteCertificate.rawValue }?.value
    }

    /// Reads an identity. Throws `unknownVersion` for a box that speaks only older versions. A box that also speaks
    /// newer versions says so in its hello.
    public init(parsing bytes: [UInt8]) throws(CertificateError) {
        guard let version = bytes.first else { throw .wrongLength }
        // Check the version before the length, which may differ by version: a person can act on an unknown version.
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

    /// Returns the id of an authority's public key.
    public static func authorityKeyID(of authority: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(authority).prefix(authorityKeyIDBytes))
    }
}
