/// What an issuer may sign. A key has one role: what one stolen key can do is what one role can do.
public enum IssuerRole: UInt8, CaseIterable, Sendable {
    /// Box certificates.
    case boxes = 1
    /// Grants.
    case phones = 2
    /// Revocations and heads.
    case revocations = 3
    /// Certificates of servers.
    case servers = 4
}
