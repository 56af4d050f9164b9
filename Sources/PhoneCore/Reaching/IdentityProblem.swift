/// The reason why a box in range is not the known box. Found before anything is sent to it.
public enum IdentityProblem: Error, Sendable, Equatable {
    /// The box's identity cannot be read.
    case unreadable
    /// The box speaks another version of the protocol.
    case otherVersion
    /// The certificate has another authority: the box belongs to another owner, or is an impostor.
    case otherAuthority
    /// The named authority did not sign the certificate.
    case badSignature
    /// The authority certifies the box, but with another key than the enrolled box's.
    case otherKey
    /// The certificate is for other digits than the box shows.
    case otherDigits
    /// The certificate is older than one that the box showed before.
    case olderCertificate(serial: UInt64, seen: UInt64)
    /// The box is not one of this phone's sites.
    case site(SiteBoxProblem)
}

extension IdentityProblem: CustomStringConvertible {
    /// The problem, as the rest of a sentence that begins with "it".
    public var description: String {
        switch self {
        case .unreadable: "does not identify itself correctly"
        case .otherVersion: "uses another protocol version than this phone"
        case .otherAuthority: "has a certificate from another authority"
        case .badSignature: "shows a certificate with an invalid signature"
        case .otherKey: "has another key than the enrolled box"
        case .otherDigits: "shows a certificate for other digits"
        case .olderCertificate(let serial, let seen):
            "shows certificate number \(serial), although it showed number \(seen) before"
        case .site(let problem): problem.description
        }
    }
}
