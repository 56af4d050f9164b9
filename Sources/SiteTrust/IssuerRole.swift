/// The items that an issuer may sign. Each key has one role, which limits the harm of one stolen key.
public enum IssuerRole: UInt8, CaseIterable, Sendable {
    /// Box certificates.
    case boxes = 1
    /// Grants.
    case phones = 2
    /// Revocations and signed statuses.
    case revocations = 3
    /// Certificates of servers.
    case servers = 4
}
