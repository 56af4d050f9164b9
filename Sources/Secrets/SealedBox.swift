extension XChaChaPoly {
    /// Overhead of a sealed value at rest: nonce and tag, 40 bytes.
    public static var sealedOverheadBytes: Int { nonceBytes + tagBytes }

    /// Seals a value to be stored: 24 random nonce bytes ‖ ciphertext ‖ 16 tag bytes. `associatedData` names the place
    /// of the value, so that the value cannot be moved elsewhere.
    public static func seal(
        _ plaintext: borrowing SecretBytes, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(SecretsError) -> [UInt8] {
        let nonce = randomBytes(count: nonceBytes)
        let sealed = try plaintext.withBytes { (text) throws(SecretsError) in
            try key.withBytes { (key) throws(SecretsError) in
                try seal(text, key: key, nonce: nonce.span.bytes, associatedData: associatedData.span.bytes)
            }
        }
        return nonce + sealed
    }

    /// Opens a value that was sealed with the same key for the same place.
    public static func open(
        _ sealed: [UInt8], key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(SecretsError) -> SecretBytes {
        guard sealed.count >= sealedOverheadBytes else { throw .authenticationFailed }
        let bytes = sealed.span.bytes
        let pool = key.pool
        return try key.withBytes { (key) throws(SecretsError) in
            try open(
                bytes.extracting(droppingFirst: nonceBytes), key: key, nonce: bytes.extracting(first: nonceBytes),
                associatedData: associatedData.span.bytes, from: pool)
        }
    }
}
