import Crypto

/// A browser's proof that its person has a passkey (WebAuthn Level 2 section 7.2), as it was sent.
public struct PasskeyAssertion: Equatable, Sendable {
    public let credentialID: [UInt8]
    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]

    /// What is over its bound is refused before anything is looked at.
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

    /// Checks all that has to hold for the passkey with that key, whose counter was last `counter`; the counter now.
    ///
    /// `claim` is asked last, when all else holds: it says whether the challenge is good, and makes it used.
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
        // Passkeys that are shared among a person's devices have no counter: it is 0 always (section 6.1.1).
        guard data.counter > counter || (data.counter == 0 && counter == 0) else { throw .counterWentBack }
        guard claim(try client.challenge(limit: ChallengeMint.byteCount)) else { throw .staleChallenge }
        return data.counter
    }
}
