import Crypto

/// A browser's unverified proof that its user has a passkey (WebAuthn Level 2 section 7.2).
public struct PasskeyAssertion: Equatable, Sendable {
    public let credentialID: [UInt8]
    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]

    /// Refuses data over its bounds before anything is parsed.
    public init(
        credentialID: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) throws(PasskeyError) {
        guard (1...PageLimits.credentialIDBytes).contains(credentialID.count),
            clientData.count <= PageLimits.clientDataBytes,
            authenticatorData.count <= PageLimits.authenticatorDataBytes,
            signature.count <= PageLimits.signatureBytes
        else { throw .malformed }
        (self.credentialID, self.clientData) = (credentialID, clientData)
        (self.authenticatorData, self.signature) = (authenticatorData, signature)
    }

    /// Verifies the proof for the passkey with that key, whose counter was last `counter`. Returns the new counter.
    ///
    /// It calls `claim` last. `claim` returns whether the challenge is valid, and marks it as used.
    public func verify(
        publicKey: [UInt8], counter: UInt32, at place: PasskeyPlace, claim: (_ challenge: [UInt8]) -> Bool
    ) throws(PasskeyError) -> UInt32 {
        let client = try ClientData(clientData)
        try client.check(.get, origin: place.origin)
        let data = try AuthenticatorData(authenticatorData)
        try data.check(host: place.host)
        guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            key.isValidSignature(signature, for: authenticatorData + Array(SHA256.hash(data: clientData)))
        else { throw .wrongSignature }
        // Passkeys that a person's devices share have no counter: it is always 0 (section 6.1.1).
        guard data.counter > counter || (data.counter == 0 && counter == 0) else { throw .counterWentBack }
        guard claim(try client.challenge(limit: ChallengeMint.byteCount)) else { throw .staleChallenge }
        return data.counter
    }
}
