import CSodium

/// ChaCha20-Poly1305 (RFC 8439), the cipher of the registered Noise suites and of their published vectors.
public enum ChaChaPoly: AEADSuite {
    public static var noiseName: StaticString { "ChaChaPoly" }
    public static var nonceBytes: Int { 12 }

    public static func sealInPlace(
        _ buffer: inout MutableRawSpan, from offset: Int, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
    ) throws(SecretsError) {
        let plaintextBytes = buffer.byteCount - offset - tagBytes
        guard offset >= 0, plaintextBytes >= 0, key.byteCount == keyBytes, nonce.byteCount == nonceBytes else {
            throw .wrongLength
        }
        // SAFETY: the lengths that libsodium relies on are checked above. It supports one buffer for plaintext and
        // ciphertext, and writes `plaintextBytes + tagBytes` bytes.
        let status = buffer.withMutablePointer { start in
            let text = start + offset
            return key.withPointer { key in
                nonce.withPointer { nonce in
                    associatedData.withPointer { data in
                        crypto_aead_chacha20poly1305_ietf_encrypt(
                            text, nil, text, UInt64(plaintextBytes), data, UInt64(associatedData.byteCount), nil,
                            nonce, key)
                    }
                }
            }
        }
        guard status == 0 else { throw .wrongLength }
    }

    public static func open(
        _ sealed: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan,
        into plaintext: inout MutableRawSpan
    ) throws(SecretsError) {
        guard sealed.byteCount >= tagBytes else { throw .authenticationFailed }
        guard plaintext.byteCount == sealed.byteCount - tagBytes, key.byteCount == keyBytes,
            nonce.byteCount == nonceBytes
        else { throw .wrongLength }
        // SAFETY: the lengths that libsodium relies on are checked above.
        let status = plaintext.withMutablePointer { text in
            key.withPointer { key in
                nonce.withPointer { nonce in
                    associatedData.withPointer { data in
                        sealed.withPointer { sealedText in
                            crypto_aead_chacha20poly1305_ietf_decrypt(
                                text, nil, nil, sealedText, UInt64(sealed.byteCount), data,
                                UInt64(associatedData.byteCount), nonce, key)
                        }
                    }
                }
            }
        }
        guard status == 0 else { throw .authenticationFailed }
    }
}
