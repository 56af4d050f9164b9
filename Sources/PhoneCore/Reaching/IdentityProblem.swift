/// Why a box in range is not the one that the phone knows. Found before anything is sent to it.
public enum IdentityProblem: Error, Sendable, Equatable {
    /// What it says of itself cannot be read.
    case unreadable
    /// It speaks another version of the protocol.
    case otherVersion
    /// Its certificate is of another authority: another site's box, or one that pretends.
    case otherAuthority
    /// Its certificate was not made by the authority that it names.
    case badSignature
    /// The authority vouches for it, but it has another key than the box that was enrolled.
    case otherKey
    /// Its certificate is for other digits than it shows.
    case otherDigits
    /// Its certificate is older than one that this box has shown before.
    case olderCertificate(serial: UInt64, seen: UInt64)
    /// It is none of the boxes of this phone's sites.
    case site(SiteBoxProblem)
}

extension IdentityProblem: CustomStringConvertible {
    /// What is wrong, as the rest of a sentence that begins with "it".
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
