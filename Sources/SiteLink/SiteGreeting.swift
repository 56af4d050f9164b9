import SiteTrust

/// A server's statement of its identity, sent in clear on each connection. Anybody can send a greeting. It counts once
/// the box has verified it and the handshake has proved that the server holds the certified key.
public struct SiteGreeting: Sendable, Equatable {
    /// The version of the link that this program speaks.
    public static let version: UInt8 = 1

    public let certificate: ClaimedSiteServerCertificate
    public let document: ClaimedSiteDocument
    /// The greeting as sent, which the prologue covers: version (1) ‖ server's certificate (113) ‖ site document.
    public let bytes: [UInt8]

    public init(certificate: SiteServerCertificate, document: SiteDocument) throws(SiteLinkError) {
        try self.init(parsing: [Self.version] + certificate.bytes + document.bytes)
    }

    /// Reads the 276 to 932 bytes of a greeting.
    public init(parsing bytes: [UInt8]) throws(SiteLinkError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        let end = 1 + SiteServerCertificate.byteCount
        guard bytes.count > end else { throw .wrongLength }
        do throws(SiteError) {
            certificate = try ClaimedSiteServerCertificate(parsing: [UInt8](bytes[1..<end]))
            document = try ClaimedSiteDocument(parsing: [UInt8](bytes[end...]))
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .protocolViolation
        }
        self.bytes = bytes
    }
}
