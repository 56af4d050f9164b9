import FoundationEssentials

/// What the browser says of a ceremony, and the authenticator signs: of which kind, for which challenge, at which page
/// (WebAuthn Level 2 section 5.8.1).
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

    /// Reads what `bytes` say; what is over `PageLimits.clientDataBytes`, or no such object, is refused.
    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard bytes.count <= PageLimits.clientDataBytes,
            let members = try? JSONDecoder().decode(Members.self, from: Data(bytes))
        else { throw .malformed }
        self.members = members
    }

    /// The bytes of the challenge; whoever asked knows whether they are its own.
    func challenge(limit: Int) throws(PasskeyError) -> [UInt8] {
        guard let bytes = Base64URL.bytes(members.challenge, limit: limit) else { throw .malformed }
        return bytes
    }

    /// A frame inside of another page is another origin, too.
    func check(_ ceremony: Ceremony, origin: String) throws(PasskeyError) {
        guard members.type == ceremony.rawValue else { throw .otherCeremony }
        guard Array(members.origin.utf8) == Array(origin.utf8), members.crossOrigin != true, members.topOrigin == nil
        else { throw .otherOrigin }
    }
}
