import FoundationEssentials

/// The browser's data that the authenticator signs: ceremony, challenge, origin (WebAuthn Level 2 section 5.8.1).
struct ClientData {
    enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    private let members: Members

    /// Reads a JSON object with these members. Refuses anything else, and more than `PageLimits.clientDataBytes`.
    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard bytes.count <= PageLimits.clientDataBytes,
            let members = try? JSONDecoder().decode(Members.self, from: Data(bytes))
        else { throw .malformed }
        self.members = members
    }

    /// Returns the challenge's bytes, which the caller must check.
    func challenge(limit: Int) throws(PasskeyError) -> [UInt8] {
        guard let bytes = Base64URL.bytes(members.challenge, limit: limit) else { throw .malformed }
        return bytes
    }

    /// Throws if the ceremony or the origin differs. A frame inside another page counts as another origin.
    func check(_ ceremony: Ceremony, origin: String) throws(PasskeyError) {
        guard members.type == ceremony.rawValue else { throw .otherCeremony }
        guard Array(members.origin.utf8) == Array(origin.utf8), members.crossOrigin != true, members.topOrigin == nil
        else { throw .otherOrigin }
    }
}
