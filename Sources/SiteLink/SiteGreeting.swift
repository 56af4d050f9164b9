import SiteTrust

/// What a server shows whoever connects, in clear: who it is, by its site. Anybody can show any bytes here; they count once the
/// box has verified them, and the handshake has shown that the server holds the certified key.
public struct SiteGreeting: Sendable, Equatable {
    /// The version of the link that this program speaks.
    public static let version: UInt8 = 1

    public let certificate: ClaimedSiteServerCertificate
    public let document: ClaimedSiteDocument
    /// The greeting as it is sent: version (1) ‖ server's certificate (113) ‖ site document. All of it goes into the prologue.
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
