import Crypto
import Wire

/// A passkey that a browser has just made (WebAuthn Level 2 section 7.1). The authenticator may be of any manufacturer.
public struct PasskeyRegistration: Equatable, Sendable {
    public let credentialID: [UInt8]
    /// 65 bytes: a point on P-256.
    public let publicKey: [UInt8]
    public let counter: UInt32

    /// Checks everything but the challenge, which `isExpected` checks.
    public init(
        clientData: [UInt8], attestation: [UInt8], at place: PasskeyPlace,
        isExpected: (_ challenge: [UInt8]) -> Bool
    ) throws(PasskeyError) {
        let client = try ClientData(clientData)
        try client.check(.create, origin: place.origin)
        guard isExpected(try client.challenge(limit: ChallengeMint.byteCount)) else { throw .staleChallenge }
        let data = try AuthenticatorData(try Self.authenticatorData(in: attestation))
        try data.check(host: place.host)
        guard let credential = data.credential else { throw .malformed }
        guard (try? P256.Signing.PublicKey(x963Representation: credential.key)) != nil else { throw .otherAlgorithm }
        (credentialID, publicKey, counter) = (credential.id, credential.key, data.counter)
    }

    /// Returns authData of {"fmt": text, "attStmt": map, "authData": bytes} (section 6.5.4), in CTAP2's order.
    private static func authenticatorData(in attestation: [UInt8]) throws(PasskeyError) -> [UInt8] {
        guard attestation.count <= PageLimits.attestationBytes else { throw .malformed }
        do throws(WireError) {
            return try attestation.withRawSpan { input throws(WireError) in
                var reader = CBORReader()
                guard try reader.readMapHeader(in: input, limit: 3) == 3 else { throw .unknown }
                for name in ["fmt", "attStmt", "authData"] {
                    let key = try reader.readText(in: input, limit: 8)
                    guard input.copy(key) == Array(name.utf8) else { throw .unknown }
                    if name != "authData" { try reader.skip(in: input) }
                }
                let data = try reader.readBytes(in: input, limit: PageLimits.authenticatorDataBytes)
                try reader.finish(in: input)
                return input.copy(data)
            }
        } catch {
            throw .malformed
        }
    }
}

/// Where passkeys are valid: the page's origin, and its host, which is WebAuthn's RP ID.
public struct PasskeyPlace: Equatable, Sendable {
    public let origin: String
    public let host: String

    public init(_ origin: PageOrigin) {
        (self.origin, host) = (origin.text, origin.host)
    }
}

/// An administrator's user handle. Authenticators show it, so it has no name (WebAuthn Level 2 section 14.6.1).
public enum PasskeyHandle {
    public static func bytes(of administrator: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("boxsite-page administrator \(administrator)".utf8)))
    }
}
