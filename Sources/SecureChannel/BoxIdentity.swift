import Secrets

/// The content of the identity characteristic: what a phone reads ahead of the handshake.
///
/// Anyone nearby can show any bytes here. They count once the certificate is verified, and once the handshake, whose
/// prologue they are part of, has shown that the box holds the certified key.
public struct BoxIdentity: Sendable, Equatable {
    /// protocol version (1) ‖ flags (1) ‖ certificate (109) ‖ authority key id (8).
    public static let byteCount = 119
    /// The protocol version that this program speaks.
    public static let protocolVersion: UInt8 = 1
    /// Length of an authority key id, in bytes.
    public static let authorityKeyIDBytes = 8

    /// What the box says about itself; unknown flags are ignored.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// An enrolment code is open.
        public static let enrolmentOpen = Flags(rawValue: 1)
    }

    public let version: UInt8
    public let flags: Flags
    public let certificate: ClaimedBoxCertificate
    /// The first 8 bytes of the SHA-256 of the authority's public key: which of several authorities signed.
    public let authorityKeyID: [UInt8]

    /// The identity that a box shows.
    public init(flags: Flags = [], certificate: BoxCertificate, authority: [UInt8]) throws(CertificateError) {
        version = Self.protocolVersion
        self.flags = flags
        self.certificate = try ClaimedBoxCertificate(parsing: certificate.bytes)
        authorityKeyID = Self.authorityKeyID(of: authority)
    }

    /// Reads an identity characteristic. Another protocol version is `unknownVersion`.
    public init(parsing bytes: [UInt8]) throws(CertificateError) {
        guard let version = bytes.first else { throw .wrongLength }
        // A later version may have another length: the version is what a person can act on.
        guard version == Self.protocolVersion else { throw .unknownVersion }
        guard bytes.count == Self.byteCount else { throw .wrongLength }
        let certificateEnd = 2 + BoxCertificate.byteCount
        self.version = version
        flags = Flags(rawValue: bytes[1])
        certificate = try ClaimedBoxCertificate(parsing: [UInt8](bytes[2..<certificateEnd]))
        authorityKeyID = [UInt8](bytes[certificateEnd...])
    }

    /// The characteristic's value.
    public var bytes: [UInt8] {
        [version, flags.rawValue] + certificate.bytes + authorityKeyID
    }

    /// The id of an authority's public key.
    public static func authorityKeyID(of authority: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(authority).prefix(authorityKeyIDBytes))
    }
}
